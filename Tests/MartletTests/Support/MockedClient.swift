// A client over a mock transport, for the policies: nothing waits and nothing is on a wire.

import Foundation
import MartletTesting

@testable import Martlet

extension MartletClient {
    /// A client whose requests the closure answers, with a base URL, a clock that jumps, and no jitter worth the name.
    static func mocked(
        _ transport: MockTransport, clock: TestClock = TestClock(advancesItself: true),
        _ change: (inout ClientConfiguration) -> Void = { _ in }
    ) -> MartletClient {
        var configuration = ClientConfiguration()
        configuration.transport = transport
        configuration.clock = clock
        configuration.randomness = SeededRandom(seed: 1)
        configuration.defaults.baseURL = "https://api.example.com"
        change(&configuration)
        return MartletClient(configuration)
    }
}

extension MartletError.AttemptRecord {
    /// The status or the code that made the attempt fail.
    var reason: String {
        guard let error = cause as? MartletError else { return "\(cause)" }
        return error.response.map { "\($0.head.status.code)" } ?? "\(error.code)"
    }
}
