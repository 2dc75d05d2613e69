// Reading a request body to its end, as sending it would.

import Foundation
import Martlet

extension RequestBody {
    /// The bytes of the body, opened for one attempt.
    nonisolated(nonsending) func collect() async throws -> Data {
        switch try await open().content {
        case .empty:
            return Data()
        case .data(let data):
            return data
        case .feed(let feed):
            let bytes = Lock(Data())
            try await feed { chunk in bytes.withLock { $0.append(chunk) } }
            return bytes.withLock { $0 }
        }
    }
}
