// Multipart responses: the boundary is that of the Content-Type.

import Foundation

extension Response where Body == ResponseBody {
    /// The parts of a multipart body, as they arrive.
    ///
    /// - Throws: `invalidResponse` when the Content-Type is not `multipart/…` with a boundary.
    public func parts(limits: MultipartLimits = MultipartLimits()) throws(MartletError) -> MultipartReader<ResponseBody>
    {
        try MultipartReader(body, boundary: headers.multipartBoundary(of: "response"), limits: limits)
    }
}

extension ReceivedPart {
    /// The parts of a part that is multipart itself.
    ///
    /// - Throws: `invalidResponse` when its Content-Type is not `multipart/…` with a boundary.
    public func parts(limits: MultipartLimits = MultipartLimits()) throws(MartletError) -> MultipartReader<Body> {
        try MultipartReader(body, boundary: headers.multipartBoundary(of: "part"), limits: limits)
    }
}

extension HTTPHeaders {
    /// The boundary that the Content-Type names; `message` is what an error says is without one.
    fileprivate func multipartBoundary(of message: String) throws(MartletError) -> String {
        guard let type = mediaType, type.type == "multipart", let boundary = type["boundary"],
            1...200 ~= boundary.utf8.count
        else {
            throw MartletError(.invalidResponse, "The \(message) is not multipart: its Content-Type names no boundary.")
        }
        return boundary
    }
}

extension Call {
    /// The parts of a multipart response as they arrive. Each iteration sends the call anew; a status that the call does not accept
    /// throws at the first step, as does a response that is not multipart.
    public var parts: Parts { parts() }

    /// The parts of a multipart response as they arrive, with other limits.
    public func parts(limits: MultipartLimits = MultipartLimits()) -> Parts { Parts(call: self, limits: limits) }

    /// The parts of a call's response.
    public struct Parts: AsyncSequence, Sendable {
        /// A part.
        public typealias Element = ReceivedPart

        let call: Call
        let limits: MultipartLimits

        /// Starts an iteration; the call is sent at its first step.
        public func makeAsyncIterator() -> Iterator { Iterator(parts: self) }

        /// The iterator. Dropping it, and the parts that it gave, ends the transfer.
        public struct Iterator: AsyncIteratorProtocol {
            let parts: Parts
            private var reader: MultipartReader<ResponseBody>.Iterator?

            init(parts: Parts) { self.parts = parts }

            /// The next part; nil at the end.
            public nonisolated(nonsending) mutating func next() async throws -> ReceivedPart? {
                if reader == nil {
                    let response = try await parts.call.acceptedStream("multipart/*")
                    reader = try response.parts(limits: parts.limits).makeAsyncIterator()
                }
                return try await reader?.next()
            }

            /// The next part, on the caller's actor.
            public mutating func next(isolation actor: isolated (any Actor)?) async throws -> ReceivedPart? {
                try await next()
            }
        }
    }
}
