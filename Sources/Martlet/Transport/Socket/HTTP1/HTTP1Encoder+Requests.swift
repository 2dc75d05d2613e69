// The head of a whole request, and what is checked of it where it may be sent over HTTP/2 instead: the rules are the same, and
// nothing is encoded that nobody sends.

extension HTTP1Encoder {
    /// The head of a request with its body.
    static func head(of request: Request, _ body: OpenedBody) throws(MartletError) -> [UInt8] {
        let framing = Framing(body, request.options)
        return try head(
            method: request.method, url: request.url, headers: request.headers, framing: framing,
            expectContinue: request.options.expectContinue != nil && framing != .none)
    }

    /// Refuses a request as `head(of:_:)` does, without encoding it.
    static func check(_ request: Request, _ body: OpenedBody) throws(MartletError) {
        let framing = Framing(body, request.options)
        try check(request.method, framing)
        let expectsContinue = request.options.expectContinue != nil && framing != .none
        let known = try KnownFields(request.headers, framing, expectsContinue)
        let least = try request.url.withTargetAndHost { (target, host) throws(MartletError) -> Int in
            try check(target: target)
            guard let own = known.host else {
                try check(host: host)
                return target.count + host.count
            }
            try check(host: request.headers[own].value.utf8)
            return target.count
        }
        guard least + request.headers.bytes.count + 4 * request.headers.count <= headLimit else { throw headTooLong }
    }

    static var headTooLong: MartletError {
        MartletError(
            .invalidRequest,
            "The request head has more than \(headLimit) bytes; send less in the URL or the headers.")
    }
}

extension HTTP1Encoder.Framing {
    /// How the end of a request's body is told.
    init(_ body: OpenedBody, _ options: RequestOptions) {
        if case .empty = body.content {
            self = .none
        } else if options.trailers != nil {
            self = .chunked
        } else {
            self = body.length.map { .length($0) } ?? .chunked
        }
    }
}
