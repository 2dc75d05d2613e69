// The grammar of RFC 6570, section 2, over bytes.

struct URITemplateReader {
    private let bytes: [UInt8]
    private var index = 0

    init(_ text: String) { bytes = Array(text.utf8) }

    mutating func read() throws(MartletError) -> [URITemplate.Part] {
        var parts: [URITemplate.Part] = []
        var literal: [UInt8] = []
        while index < bytes.count {
            let byte = bytes[index]
            if byte == UInt8(ascii: "{") {
                if !literal.isEmpty { parts.append(.literal(String(decoding: literal, as: UTF8.self))) }
                literal = []
                parts.append(try readExpression())
            } else {
                try readLiteral(byte, into: &literal)
            }
        }
        if !literal.isEmpty { parts.append(.literal(String(decoding: literal, as: UTF8.self))) }
        return parts
    }

    /// Characters that no URL may hold are escaped here (section 3.1).
    private mutating func readLiteral(_ byte: UInt8, into literal: inout [UInt8]) throws(MartletError) {
        switch byte {
        case UInt8(ascii: "}"):
            throw Self.invalid("it closes a brace that was not opened")
        case UInt8(ascii: "%"):
            guard isEscape(at: index) else { throw Self.invalid("a `%` needs two hexadecimal digits behind it") }
            literal.append(byte)
        case 0..<0x20, 0x7F:
            throw Self.invalid("it holds a control character")
        default:
            if ASCII.isUnreserved(byte) || Self.isReserved(byte) {
                literal.append(byte)
            } else {
                ASCII.appendEscape(byte, to: &literal)
            }
        }
        index += 1
    }

    private mutating func readExpression() throws(MartletError) -> URITemplate.Part {
        guard let end = bytes[index...].firstIndex(of: UInt8(ascii: "}")) else {
            throw Self.invalid("it opens a brace that is not closed")
        }
        var rest = bytes[(index + 1)..<end]
        index = end + 1
        var kind = URITemplate.Operator.simple
        if let first = rest.first, let named = URITemplate.Operator(rawValue: first), named != .simple {
            kind = named
            rest.removeFirst()
        }
        var variables: [URITemplate.Variable] = []
        for specification in rest.split(separator: UInt8(ascii: ","), omittingEmptySubsequences: false) {
            variables.append(try readVariable(specification))
        }
        return .expression(kind, variables)
    }

    private func readVariable(_ specification: ArraySlice<UInt8>) throws(MartletError) -> URITemplate.Variable {
        var name = specification
        var modifier = URITemplate.Variable.Modifier.none
        if name.last == UInt8(ascii: "*") {
            name.removeLast()
            modifier = .explode
        } else if let colon = name.firstIndex(of: UInt8(ascii: ":")) {
            let digits = name[(colon + 1)...]
            name = name[..<colon]
            guard 1...4 ~= digits.count, digits.allSatisfy(ASCII.isDigit), digits.first != UInt8(ascii: "0"),
                let length = Int(String(decoding: digits, as: UTF8.self))
            else { throw Self.invalid("the length of a prefix is a number from 1 to 9999") }
            modifier = .prefix(length)
        }
        guard isName(name) else {
            throw Self.invalid(
                "`\(String(decoding: specification, as: UTF8.self))` is no variable: names are made of letters, digits, `_` and `.`"
            )
        }
        return URITemplate.Variable(name: String(decoding: name, as: UTF8.self), modifier: modifier)
    }

    private func isName(_ name: ArraySlice<UInt8>) -> Bool {
        guard name.first != nil, name.first != UInt8(ascii: "."), name.last != UInt8(ascii: ".") else { return false }
        var place = name.startIndex
        var previous: UInt8 = 0
        while place < name.endIndex {
            let byte = name[place]
            switch byte {
            case UInt8(ascii: "%"):
                guard place + 2 < name.endIndex, isEscape(at: place) else { return false }
                place += 2
            case UInt8(ascii: "."):
                guard previous != byte else { return false }
            default:
                guard ASCII.isLetter(byte) || ASCII.isDigit(byte) || byte == UInt8(ascii: "_") else { return false }
            }
            previous = byte
            place += 1
        }
        return true
    }

    private func isEscape(at place: Int) -> Bool { Self.isEscape(bytes, at: place) }

    static func isEscape(_ bytes: [UInt8], at place: Int) -> Bool {
        bytes.count > place + 2 && ASCII.hexValue(bytes[place + 1]) != nil && ASCII.hexValue(bytes[place + 2]) != nil
    }

    /// `reserved` of RFC 3986, section 2.2.
    static func isReserved(_ byte: UInt8) -> Bool { ":/?#[]@!$&'()*+,;=".utf8.contains(byte) }

    private static func invalid(_ what: String) -> MartletError {
        MartletError(.invalidURL, "The URI template cannot be read: \(what).")
    }
}
