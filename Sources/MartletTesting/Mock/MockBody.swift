// The body that a mock transport gives: its pieces, with the delays and the break that the response asks for.

import Foundation
import Martlet

/// The pieces of a mock response's body.
struct MockBody: AsyncSequence, Sendable {
    let response: MockResponse
    let clock: any Clock<Duration>

    func makeAsyncIterator() -> Iterator {
        switch response.body {
        case .chunks(let chunks):
            Iterator(rest: chunks[...], stream: nil, response: response, clock: clock)
        case .stream(let make):
            Iterator(rest: [], stream: make().makeAsyncIterator(), response: response, clock: clock)
        }
    }

    struct Iterator: AsyncIteratorProtocol {
        var rest: ArraySlice<Data>
        var stream: AsyncThrowingStream<Data, any Error>.Iterator?
        let response: MockResponse
        let clock: any Clock<Duration>
        var given = 0

        mutating func next(isolation actor: isolated (any Actor)?) async throws -> Data? {
            try Task.checkCancellation()
            if let fault = response.bodyFault, given >= fault.after { throw fault.error }
            var chunk = rest.popFirst()
            if chunk == nil, stream != nil { chunk = try await stream?.next(isolation: actor) }
            // A stream ends quietly when its reader is cancelled; that must not look like the end of the body.
            try Task.checkCancellation()
            guard let chunk else {
                if let fault = response.bodyFault { throw fault.error }
                return nil
            }
            if let delay = response.chunkDelay { try await clock.sleep(for: delay) }
            guard let fault = response.bodyFault, given + chunk.count > fault.after else {
                given += chunk.count
                return chunk
            }
            let part = Data(chunk.prefix(fault.after - given))
            given = fault.after
            return part
        }

        mutating func next() async throws -> Data? {
            try await next(isolation: nil)
        }
    }
}
