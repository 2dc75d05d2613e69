// Status line and fields (RFC 9112, sections 4 and 5). Folded lines, space before a colon, control characters and bare CR are
// refused; bytes above 127 in values are not. A reason phrase may be absent, with or without the space in front of it.

extension HTTP1Parser {
    /// The place of the byte behind the status code, the last that can have but a few values.
    static let lastFixedByte = 12

    /// `HTTP/1.1` as a little-endian number.
    private static let protocolName: UInt64 = 0x312E_312F_5054_5448

    /// Whether the line begins as nearly all do; a short cut past `checkStatusLine`.
    static func beginsUsually(_ line: Span<UInt8>) -> Bool {
        guard line.count > lastFixedByte else { return false }
        let word = line.bytes.unsafeLoadUnaligned(fromByteOffset: 0, as: UInt64.self)
        return UInt64(littleEndian: word) == protocolName && line[8] == 0x20 && isDigit(line[9]) && line[9] != 0x30
            && isDigit(line[10]) && isDigit(line[11]) && line[lastFixedByte] == 0x20
    }

    /// Throws when no status line has `byte` at `index`.
    static func checkStatusLine(_ byte: UInt8, at index: Int) throws(MartletError) {
        let isPossible: Bool
        switch index {
        case 0: isPossible = byte == UInt8(ascii: "H")
        case 1, 2: isPossible = byte == UInt8(ascii: "T")
        case 3: isPossible = byte == UInt8(ascii: "P")
        case 4: isPossible = byte == UInt8(ascii: "/")
        case 5: isPossible = byte == UInt8(ascii: "1")
        case 6: isPossible = byte == UInt8(ascii: ".")
        case 7: isPossible = byte == UInt8(ascii: "1") || byte == UInt8(ascii: "0")
        case 8: isPossible = byte == 0x20
        case 9: isPossible = isDigit(byte) && byte != UInt8(ascii: "0")
        case 10, 11: isPossible = isDigit(byte)
        case lastFixedByte: isPossible = byte == 0x20 || byte == 0x0D || byte == 0x0A
        default: isPossible = true
        }
        guard !isPossible else { return }
        throw invalid(
            index <= 8
                ? "The server does not answer with HTTP/1.1 or HTTP/1.0."
                : "The response has no three-digit status code.")
    }

    /// Reads a whole line, its end included; gives an event when it completes a head or the trailers.
    mutating func readLine(_ line: Span<UInt8>, following: Int) throws(MartletError) -> Event? {
        let length = try contentLength(of: line)
        if state == .statusLine {
            try readStatusLine(line, length)
            headers = HTTPHeaders()
            headers.reserve(fields: 16, bytes: min(max(following, 128), 1024))
            framing = Framing()
            state = .fields
            return nil
        }
        if length == 0 { return state == .trailers ? completeTrailers() : try completeHead() }
        try readField(line, length)
        return nil
    }

    /// The length of a line without its end.
    private func contentLength(of line: Span<UInt8>) throws(MartletError) -> Int {
        if line.count >= 2, line[line.count - 2] == 0x0D { return line.count - 2 }
        guard limits.acceptsBareLineFeed, state != .trailers else {
            throw Self.invalid("A line of the response head ends with LF alone; it must end with CR LF.")
        }
        return line.count - 1
    }

    private mutating func readStatusLine(_ line: Span<UInt8>, _ length: Int) throws(MartletError) {
        guard length == Self.lastFixedByte || (length > Self.lastFixedByte && line[Self.lastFixedByte] == 0x20) else {
            throw Self.invalid("The response has no three-digit status code.")
        }
        version = line[7] == UInt8(ascii: "1") ? .http1_1 : .http1_0
        status = HTTPStatus(
            100 * Int(line[9] & 0x0F) + 10 * Int(line[10] & 0x0F) + Int(line[11] & 0x0F))
        let phrase = line.extracting(min(length, Self.lastFixedByte + 1)..<length)
        guard HTTPSyntax.firstNonValueByte(phrase) == nil else {
            throw Self.invalid("The reason phrase of the response holds a control character.")
        }
        reason = Self.reason(phrase, status)
        if status.isInformational { try countInformational() }
    }

    private mutating func countInformational() throws(MartletError) {
        guard status != .switchingProtocols else {
            throw Self.invalid("The server switches protocols (101) without having been asked to.")
        }
        informationalHeads += 1
        guard informationalHeads <= limits.informationalHeads else {
            throw MartletError(
                .tooManyInformationalResponses,
                "The server sent more than \(limits.informationalHeads) informational responses.")
        }
    }

    /// The phrase as a string; the standard one costs no allocation.
    static func reason(_ phrase: Span<UInt8>, _ status: HTTPStatus) -> String {
        phrase.withUnsafeBufferPointer { bytes in
            if status == .ok, bytes.count == 2, bytes[0] == UInt8(ascii: "O"), bytes[1] == UInt8(ascii: "K") {
                return "OK"
            }
            let standard = status.reasonPhrase
            if bytes.elementsEqual(standard.utf8) { return standard }
            return String(validating: bytes, as: UTF8.self)
                ?? String(decoding: bytes.lazy.map(UInt16.init), as: UTF16.self)
        }
    }

    private mutating func readField(_ line: Span<UInt8>, _ length: Int) throws(MartletError) {
        var colon = 0
        while colon < length, HTTPSyntax.isTokenByte(line[colon]) { colon += 1 }
        guard colon > 0, colon < length, line[colon] == UInt8(ascii: ":") else {
            throw Self.invalid(Self.nameProblem(colon == 0, colon < length ? line[colon] : 0))
        }
        var start = colon + 1
        while start < length, Self.isSpace(line[start]) { start += 1 }
        var end = length
        while end > start, Self.isSpace(line[end - 1]) { end -= 1 }
        let name = line.extracting(0..<colon)
        let value = line.extracting(start..<end)
        guard HTTPSyntax.firstNonValueByte(value) == nil else {
            throw Self.invalid("A header value of the response holds a control character.")
        }
        guard headers.count < limits.fields else {
            throw MartletError(.headTooLarge, "The response has more than \(limits.fields) header fields.")
        }
        if state == .trailers {
            if HTTPHeaders.isForbiddenInTrailers(name) { return }
        } else {
            framing.read(name, value)
        }
        headers.append(line: line.extracting(0..<length), name: 0..<colon, value: start..<end)
    }

    private static func nameProblem(_ isFirst: Bool, _ byte: UInt8) -> String {
        switch (isFirst, byte) {
        case (true, 0x20), (true, 0x09): "The response folds a header field over two lines, which is not allowed."
        case (true, UInt8(ascii: ":")): "A header field of the response has no name."
        case (false, 0x20), (false, 0x09): "A header field of the response has a space before its colon."
        default: "A line of the response head is no header field."
        }
    }

    private mutating func completeHead() throws(MartletError) -> Event {
        var fields = HTTPHeaders()
        swap(&fields, &headers)
        let head = ResponseHead(status: status, reason: reason, version: version, headers: fields)
        if status.isInformational {
            state = .statusLine
            return .informational(head)
        }
        try decideBody()
        return .head(head)
    }

    static func isSpace(_ byte: UInt8) -> Bool { byte == 0x20 || byte == 0x09 }

    static func isDigit(_ byte: UInt8) -> Bool { byte &- 0x30 < 10 }
}
