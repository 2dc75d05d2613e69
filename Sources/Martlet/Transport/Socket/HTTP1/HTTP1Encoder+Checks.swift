// What a request may not say. Host is the caller's to override, once and validly (RFC 9112, section 3.2); framing and
// connection fields are not (section 6; RFC 9110, section 7.6.1).

extension HTTP1Encoder {
    /// Refuses a method that is no token, or that cannot be sent in this way.
    static func check(_ method: HTTPMethod, _ framing: Framing) throws(MartletError) {
        if method == .get, framing == .none { return }
        guard method.isValidToken else {
            throw MartletError(
                .invalidRequest, "The method is not a token: letters, digits and a few signs, without spaces.")
        }
        guard method != .connect else {
            throw MartletError(.unsupported, "CONNECT is not a request of its own; configure a proxy instead.")
        }
        if case .length(let length) = framing, length < 0 {
            throw MartletError(.invalidRequest, "The length of the body is negative.")
        }
        guard method != .trace || framing == .none else {
            throw MartletError(.invalidRequest, "A TRACE request must not have a body.")
        }
    }

    /// Refuses a target with a byte that could end it early.
    static func check(target: UnsafeBufferPointer<UInt8>) throws(MartletError) {
        guard !target.isEmpty, target.allSatisfy({ $0 &- 0x21 < 0x5E && $0 != UInt8(ascii: "#") }) else {
            throw MartletError(
                .invalidRequest,
                "The request target is empty or holds a control character, a space, a '#' or a byte beyond ASCII.")
        }
    }

    /// Refuses a host field that is not a host with an optional port.
    static func check(host: some Collection<UInt8>) throws(MartletError) {
        guard !host.isEmpty, host.allSatisfy(isHostByte) else {
            throw MartletError(.invalidRequest, "The Host header is not a host name with an optional port.")
        }
    }

    private static func isHostByte(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
            UInt8(ascii: "0")...UInt8(ascii: "9"):
            true
        case UInt8(ascii: "-"), UInt8(ascii: "."), UInt8(ascii: "_"), UInt8(ascii: "~"), UInt8(ascii: "%"),
            UInt8(ascii: ":"), UInt8(ascii: "["), UInt8(ascii: "]"), UInt8(ascii: "!"), UInt8(ascii: "$"),
            UInt8(ascii: "&"), UInt8(ascii: "'"), UInt8(ascii: "("), UInt8(ascii: ")"), UInt8(ascii: "*"),
            UInt8(ascii: "+"), UInt8(ascii: ","), UInt8(ascii: ";"), UInt8(ascii: "="):
            true
        default: false
        }
    }

    /// The fields among the caller's that are not simply copied.
    struct KnownFields {
        /// The place of the caller's `Host`.
        private(set) var host: Int?
        /// Whether `TE: trailers` is among them, which the connection must be told about.
        private(set) var hasTE = false
        private var length: Int?
        private var expect: Int?

        /// Checks every field; throws `invalidRequest` for illegal bytes and for fields that are not the caller's to set.
        init(_ headers: HTTPHeaders, _ framing: Framing, _ expectContinue: Bool) throws(MartletError) {
            if headers.isPlain { return }
            let all = headers.bytes.span
            for index in headers.records.indices {
                let record = headers.records[index]
                try headers.validateField(at: index)
                let name = all.extracting(record.name)
                let value = all.extracting(record.value)
                switch name.count {
                case 2 where HTTP1Parser.equal(name, "te"):
                    guard HTTP1Parser.equal(value, "trailers") else {
                        throw MartletError(.invalidRequest, "TE may only be 'trailers'.")
                    }
                    hasTE = true
                case 4 where HTTP1Parser.equal(name, "host"):
                    guard host == nil else { throw MartletError(.invalidRequest, "Host is set twice.") }
                    host = index
                case 6 where HTTP1Parser.equal(name, "expect"):
                    guard expectContinue, HTTP1Parser.equal(value, "100-continue"), expect == nil else {
                        throw Self.refusal("Expect")
                    }
                    expect = index
                case 7 where HTTP1Parser.equal(name, "upgrade"): throw Self.refusal("Upgrade")
                case 10 where HTTP1Parser.equal(name, "connection"): throw Self.refusal("Connection")
                case 10 where HTTP1Parser.equal(name, "keep-alive"): throw Self.refusal("Keep-Alive")
                case 14 where HTTP1Parser.equal(name, "content-length"):
                    guard Self.isTrueLength(value, framing), length == nil else { throw Self.refusal("Content-Length") }
                    length = index
                case 16 where HTTP1Parser.equal(name, "proxy-connection"): throw Self.refusal("Proxy-Connection")
                case 17 where HTTP1Parser.equal(name, "transfer-encoding"): throw Self.refusal("Transfer-Encoding")
                default: break
                }
            }
        }

        /// Whether the field at `index` is not copied, because Martlet writes it itself.
        func isDropped(_ index: Int) -> Bool { index == host || index == length || index == expect }

        private static func isTrueLength(_ value: Span<UInt8>, _ framing: Framing) -> Bool {
            let digits: String
            switch framing {
            case .none: digits = "0"
            case .length(let length): digits = String(length)
            case .chunked: return false
            }
            return value.withUnsafeBufferPointer { $0.elementsEqual(digits.utf8) }
        }

        private static func refusal(_ field: String) -> MartletError {
            MartletError(
                .invalidRequest,
                "\(field) is set by Martlet and conflicts with the request; remove it from the headers.")
        }
    }
}
