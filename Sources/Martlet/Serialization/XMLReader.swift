// Reads XML 1.0 (fifth edition) without document type declarations: from left to right, each byte once, elements that are
// open on a stack of its own. Whatever is not well-formed by the specification's productions is an error.

import Foundation

/// A place in the text of a document.
struct XMLReader {
    private let bytes: [UInt8]
    private var index = 0
    private var open: [XMLValue] = []
    /// Text that has been read and belongs to the innermost open element.
    private var text: [UInt8] = []

    init(_ text: String) { bytes = Array(text.utf8) }

    /// Reads the whole document.
    mutating func document() throws(MartletError) -> XMLValue {
        try refuseForbidden()
        if starts(with: "<?xml"), index + 5 < bytes.count, Self.isSpace(bytes[index + 5]) {
            try skip(past: "?>", of: "the XML declaration")
        }
        try skipBetween()
        guard take("<") else { throw failure("there is no element") }
        var root = try startTag()
        while root == nil { root = try content() }
        try skipBetween()
        guard let root, index == bytes.count else { throw failure("something follows the root element") }
        return root
    }

    // MARK: Outside of elements

    /// Goes past white space, comments and instructions.
    private mutating func skipBetween() throws(MartletError) {
        while true {
            skipSpace()
            if take("<!--") {
                try comment()
            } else if take("<?") {
                try instruction()
            } else if starts(with: "<!DOCTYPE") {
                throw failure("document type declarations are not read, for they can do harm")
            } else {
                return
            }
        }
    }

    private mutating func comment() throws(MartletError) {
        try skip(past: "--", of: "a comment")
        guard take(">") else { throw failure("a comment holds two hyphens") }
    }

    private mutating func instruction() throws(MartletError) {
        let target = try name()
        guard target.lowercased() != "xml" else { throw failure("the XML declaration is not at the beginning") }
        guard starts(with: "?>") || skipSpace() else { throw failure("an instruction has no space behind its name") }
        try skip(past: "?>", of: "an instruction")
    }

    // MARK: Elements

    /// Reads a start tag behind its bracket; gives the element when it is the root and closed at once.
    private mutating func startTag() throws(MartletError) -> XMLValue? {
        var element = XMLValue(try name())
        while true {
            let isSpaced = skipSpace()
            if take("/>") { return close(element) }
            if take(">") { break }
            guard isSpaced else { throw failure("a tag holds what is no attribute") }
            let name = try name()
            skipSpace()
            guard take("=") else { throw failure("the attribute \(name) has no value") }
            skipSpace()
            guard element.attributes.updateValue(try attributeValue(), forKey: name) == nil else {
                throw failure("the attribute \(name) comes twice")
            }
        }
        guard open.count < XMLValue.maximumDepth else {
            throw failure("elements are nested more than \(XMLValue.maximumDepth) deep")
        }
        open.append(element)
        return nil
    }

    /// Puts an element that has ended into the one around it; gives it when there is none.
    private mutating func close(_ element: XMLValue) -> XMLValue? {
        guard !open.isEmpty else { return element }
        open[open.count - 1].content.append(.element(element))
        return nil
    }

    /// Reads one piece of the innermost open element; gives the root when that is what has ended.
    private mutating func content() throws(MartletError) -> XMLValue? {
        if take("<!--") {
            try comment()
        } else if take("<![CDATA[") {
            let start = index
            try skip(past: "]]>", of: "a CDATA section")
            appendText(bytes[start..<index - 3])
        } else if take("<?") {
            try instruction()
        } else if take("</") {
            endText()
            let name = try name()
            skipSpace()
            guard take(">") else { throw failure("the end tag of \(name) holds more than its name") }
            guard let element = open.popLast(), element.name == name else {
                throw failure("the end tag of \(name) closes another element")
            }
            return close(element)
        } else if take("<") {
            endText()
            return try startTag()
        } else if take("&") {
            let character = try reference()
            text.append(contentsOf: character.utf8)
        } else {
            let start = index
            while index < bytes.count, bytes[index] != UInt8(ascii: "<"), bytes[index] != UInt8(ascii: "&") {
                if bytes[index] == UInt8(ascii: "]"), starts(with: "]]>") { throw failure("text holds ]]>") }
                index += 1
            }
            guard index < bytes.count else {
                throw failure("the element \(open.last?.name ?? "") is not closed")
            }
            appendText(bytes[start..<index])
        }
        return nil
    }

    /// Adds text, its line ends made LF (section 2.11).
    private mutating func appendText(_ piece: ArraySlice<UInt8>) {
        guard piece.contains(0x0D) else { return text.append(contentsOf: piece) }
        var rest = piece
        while let byte = rest.popFirst() {
            if byte == 0x0D, rest.first == 0x0A { rest.removeFirst() }
            text.append(byte == 0x0D ? 0x0A : byte)
        }
    }

    private mutating func endText() {
        guard !text.isEmpty else { return }
        open[open.count - 1].content.append(.text(String(decoding: text, as: UTF8.self)))
        text.removeAll(keepingCapacity: text.capacity <= 64 << 10)
    }

    // MARK: Attributes, references, names

    /// Reads a quoted value; white space that is not escaped becomes spaces (section 3.3.3).
    private mutating func attributeValue() throws(MartletError) -> String {
        guard let quote = next, quote == UInt8(ascii: "\"") || quote == UInt8(ascii: "'") else {
            throw failure("the value of an attribute is not in quotes")
        }
        index += 1
        var value: [UInt8] = []
        while let byte = next {
            index += 1
            switch byte {
            case quote: return String(decoding: value, as: UTF8.self)
            case UInt8(ascii: "<"): throw failure("the value of an attribute holds <")
            case UInt8(ascii: "&"): value.append(contentsOf: try reference().utf8)
            case 0x0D:
                if next == 0x0A { index += 1 }
                value.append(0x20)
            default: value.append(Self.isSpace(byte) ? 0x20 : byte)
            }
        }
        throw failure("the value of an attribute does not end")
    }

    /// Reads a reference behind its ampersand, and gives its character.
    private mutating func reference() throws(MartletError) -> String {
        let start = index
        // The longest that there are: `&#x10FFFF;`, and more zeros than anybody writes.
        while let byte = next, byte != UInt8(ascii: ";"), index - start < 32 { index += 1 }
        let name = String(decoding: bytes[start..<index], as: UTF8.self)
        guard take(";") else { throw failure("an ampersand begins no reference") }
        switch name {
        case "lt": return "<"
        case "gt": return ">"
        case "amp": return "&"
        case "apos": return "'"
        case "quot": return "\""
        default:
            let isHex = name.hasPrefix("#x")
            let digits = name.dropFirst(isHex ? 2 : 1)
            guard name.hasPrefix("#"), digits.first != "+", digits.first != "-",
                let scalar = UInt32(digits, radix: isHex ? 16 : 10).flatMap(Unicode.Scalar.init), Self.isAllowed(scalar)
            else {
                throw failure("a reference is to nothing that XML itself has")
            }
            return String(Character(scalar))
        }
    }

    private mutating func name() throws(MartletError) -> String {
        let start = index
        while let byte = next, Self.mayBeInName(byte) { index += 1 }
        let name = String(decoding: bytes[start..<index], as: UTF8.self)
        guard let first = name.unicodeScalars.first, Self.beginsName(first),
            name.unicodeScalars.allSatisfy(Self.isInName)
        else {
            throw failure("there is no name where one is due")
        }
        return name
    }

    // MARK: Bytes

    private var next: UInt8? { index < bytes.count ? bytes[index] : nil }

    private func starts(with text: StaticString) -> Bool {
        guard bytes.count - index >= text.utf8CodeUnitCount else { return false }
        for offset in 0..<text.utf8CodeUnitCount where bytes[index + offset] != text.utf8Start[offset] { return false }
        return true
    }

    private mutating func take(_ text: StaticString) -> Bool {
        guard starts(with: text) else { return false }
        index += text.utf8CodeUnitCount
        return true
    }

    private mutating func skip(past end: StaticString, of what: String) throws(MartletError) {
        while index < bytes.count {
            if take(end) { return }
            index += 1
        }
        throw failure("\(what) does not end")
    }

    /// Goes past white space, and tells whether there was any.
    @discardableResult
    private mutating func skipSpace() -> Bool {
        let start = index
        while let byte = next, Self.isSpace(byte) { index += 1 }
        return index > start
    }

    /// Refuses characters that no document may hold (section 2.2).
    private mutating func refuseForbidden() throws(MartletError) {
        for (place, byte) in bytes.enumerated() {
            let isControl = byte < 0x20 && !Self.isSpace(byte)
            // U+FFFE and U+FFFF.
            let isNone =
                byte >= 0xBE && place > 1 && bytes[place - 1] == 0xBF && bytes[place - 2] == 0xEF && byte < 0xC0
            if isControl || isNone {
                index = place
                throw failure("it holds a character that XML does not allow")
            }
        }
    }

    private func failure(_ reason: String) -> MartletError {
        let line = bytes[..<index].reduce(1) { $1 == 0x0A ? $0 + 1 : $0 }
        return MartletError(.decodingFailed, "The body is not XML that can be read; in line \(line), \(reason).")
    }
}
