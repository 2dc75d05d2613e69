// Where the body ends (RFC 9112, section 6.3) and whether the connection lives on (section 9.3). Anything that two parties could
// read in two ways is refused: both length and coding, a coding other than one `chunked`, lengths that differ or are no digits.

extension HTTP1Parser {
    /// What the fields of a head say about the body and the connection.
    struct Framing: Sendable {
        var length: Int?
        var isChunked = false
        var closes = false
        var keepsAlive = false
        /// Why the body's end cannot be told; of no weight where there is no body.
        var problem: Problem?

        enum Problem: Sendable { case length, lengths, coding }

        /// Whether `read` could take note of a field whose name has this many bytes.
        static func mayConcern(nameLength: Int) -> Bool { nameLength == 10 || nameLength == 14 || nameLength == 17 }

        /// Takes note of a field.
        mutating func read(_ name: Span<UInt8>, _ value: Span<UInt8>) {
            switch name.count {
            case 10 where HTTP1Parser.equal(name, "connection"): readConnection(value)
            case 14 where HTTP1Parser.equal(name, "content-length"): readLengths(value)
            case 17 where HTTP1Parser.equal(name, "transfer-encoding"):
                if isChunked || !HTTP1Parser.equal(value, "chunked") { problem = problem ?? .coding }
                isChunked = true
            default: break
            }
        }

        /// Whether the fields contradict each other or the protocol.
        var isAmbiguous: Bool { problem != nil || (isChunked && length != nil) }

        /// Whether the fields say that there are bytes to come.
        var announcesBody: Bool { isChunked || (length ?? 0) > 0 }

        /// Whether another response may follow on a connection that speaks `version`.
        func persists(_ version: HTTPVersion) -> Bool { !closes && (version == .http1_1 || keepsAlive) }

        private mutating func readConnection(_ value: Span<UInt8>) {
            if HTTP1Parser.equal(value, "keep-alive") {
                keepsAlive = true
                return
            }
            Self.forEachElement(of: value) { element in
                if HTTP1Parser.equal(element, "close") { closes = true }
                if HTTP1Parser.equal(element, "keep-alive") { keepsAlive = true }
            }
        }

        private mutating func readLengths(_ value: Span<UInt8>) {
            if length == nil, let number = Self.number(value) {
                length = number
                return
            }
            Self.forEachElement(of: value) { element in
                guard let number = Self.number(element) else {
                    problem = problem ?? .length
                    return
                }
                if let length, length != number { problem = problem ?? .lengths }
                length = number
            }
        }

        /// Digits and nothing else, at least one; nil when there is more, or the number is too large.
        private static func number(_ digits: Span<UInt8>) -> Int? {
            guard !digits.isEmpty else { return nil }
            var number = 0
            for index in digits.indices {
                guard HTTP1Parser.isDigit(digits[index]) else { return nil }
                let (product, overflows) = number.multipliedReportingOverflow(by: 10)
                let (sum, exceeds) = product.addingReportingOverflow(Int(digits[index] & 0x0F))
                guard !overflows, !exceeds else { return nil }
                number = sum
            }
            return number
        }

        /// Gives the elements of a comma-separated list to `body`, without the space around them, empty ones too.
        private static func forEachElement(of list: Span<UInt8>, _ body: (Span<UInt8>) -> Void) {
            var start = 0
            while start <= list.count {
                var comma = start
                while comma < list.count, list[comma] != UInt8(ascii: ",") { comma += 1 }
                var first = start
                var last = comma
                while first < last, HTTP1Parser.isSpace(list[first]) { first += 1 }
                while last > first, HTTP1Parser.isSpace(list[last - 1]) { last -= 1 }
                body(list.extracting(first..<last))
                start = comma + 1
            }
        }
    }

    /// Decides, at the end of a final head, how the body is read.
    mutating func decideBody() throws(MartletError) {
        used = 0
        if isConnect, status.isSuccess {
            // A tunnel: what follows is no HTTP, whatever the fields say.
            framing.closes = true
            state = .bodyless
            return
        }
        if isHead || status == .noContent || status == .notModified {
            // There is no body, but a peer that contradicts itself may send one late: into the next response.
            if framing.isAmbiguous || (status == .noContent && framing.announcesBody) { framing.closes = true }
            state = .bodyless
            return
        }
        switch framing.problem {
        case .length: throw Self.invalid("The Content-Length of the response is no decimal number that fits.")
        case .lengths: throw Self.invalid("The response has several Content-Length values that differ.")
        case .coding: throw Self.invalid("The Transfer-Encoding of the response is not exactly 'chunked'.")
        case nil: break
        }
        if framing.isChunked {
            guard framing.length == nil else {
                throw Self.invalid("The response has both a Transfer-Encoding and a Content-Length.")
            }
            guard version == .http1_1 else {
                throw Self.invalid("The response has a Transfer-Encoding, which HTTP/1.0 does not know.")
            }
            startChunk()
        } else if let length = framing.length {
            remaining = length
            state = .fixedBody
        } else {
            state = .bodyUntilClose
        }
    }

    /// Whether `bytes` are `lowercase` without regard to case.
    static func equal(_ bytes: Span<UInt8>, _ lowercase: StaticString) -> Bool {
        let wanted = UnsafeBufferPointer(start: lowercase.utf8Start, count: lowercase.utf8CodeUnitCount)
        return HTTPSyntax.equalIgnoringCase(bytes, wanted.span)
    }
}
