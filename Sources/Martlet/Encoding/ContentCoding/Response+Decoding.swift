// The layer that takes content codings off (RFC 9110, section 8.4), above the cache and below what knows of the call as a
// whole. A response without a Content-Encoding passes at the cost of looking for one. What is left as it came keeps its fields.

import Foundation

extension Response where Body == ResponseBody {
    /// Whether the body may be in a coding.
    var isCoded: Bool { head.headers.firstIndex(ofLowercasedASCII: "content-encoding") != nil }

    /// The response with its codings taken off, where they are for Martlet to take off.
    ///
    /// `Content-Encoding` and `Content-Length` go with them: they describe bytes that nobody sees any more. Left as it came is
    /// what answers an `Accept-Encoding` that is not Martlet's own, what has no body, a part of a body (206), which cannot be
    /// decoded by itself, and what is in a coding that this build does not know.
    ///
    /// - Throws: `tooManyContentCodings`.
    func decoded(for request: Request) throws(MartletError) -> Response {
        let decoding = request.options.contentDecoding
        guard isCoded, decoding.isEnabled, request.asksForCodings,
            request.headers["Accept-Encoding"] == ContentCoding.acceptList,
            request.method != .head, !status.isInformational, ![204, 206, 304].contains(status.code)
        else { return self }
        switch ContentCoding.listed(in: headers) {
        case .unknown: return self
        case .codings(let codings): return codings.isEmpty ? self : decoded(codings, request)
        case .tooMany(let count):
            throw MartletError(
                .tooManyContentCodings,
                "The response body is compressed \(count) times over; at most \(ContentCoding.mostStacked) are undone."
            ).with {
                $0.request = request.summary
                $0.response = MartletError.FailedResponse(head: head, bodyPrefix: Data())
                $0.attempts = attempts
                $0.mayHaveReachedServer = true
            }
        }
    }

    private func decoded(_ codings: [ContentCoding], _ request: Request) -> Response {
        let record = DecodingRecord(codings, self, request)
        let coded = body
        var decoded = self
        decoded.head.headers.remove("Content-Encoding")
        decoded.head.headers.remove("Content-Length")
        decoded.metrics.contentCodings = codings
        decoded.metrics.decodedBytes = 0
        decoded.body = ResponseBody(record) { DecodedChunks(coded, record) }
        return decoded
    }
}

extension MartletError {
    /// The error of a value that could not be made, with the coding that the body is still in, which is likely to be why.
    func namingCoding(of headers: HTTPHeaders) -> MartletError {
        guard code == .decodingFailed, let coding = headers.combined(for: "Content-Encoding"),
            ContentCoding.listed(in: headers) != .codings([])
        else { return self }
        return with {
            $0.message += " It came in the Content-Encoding \(coding.prefix(64)), which was not taken off."
        }
    }
}
