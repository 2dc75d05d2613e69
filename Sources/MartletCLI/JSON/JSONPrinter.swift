// JSON laid out for people, token by token while it arrives: one member a line, two spaces a level, colour where it is shown.
// The tokens stay as the server wrote them. From the first byte that is not JSON on, the rest passes as it is.

/// Lays out JSON.
struct JSONPrinter: Sendable {
    /// What a token is, which decides its colour.
    private enum Ink: String {
        case name = "34;1"
        case string = "32"
        case number = "36"
        case word = "35"
    }

    let hasColour: Bool
    private var grammar = JSONGrammar()
    private var isRaw = false
    private var isColoured = false
    /// Whether a new line is due before the next token.
    private var needsLine = false
    /// The first byte of what may be a control character of two, withheld until the second is known.
    private var heldLead = false

    init(hasColour: Bool) { self.hasColour = hasColour }

    /// The layout of the next bytes.
    mutating func layout(_ bytes: UnsafeRawBufferPointer) -> [UInt8] {
        var out: [UInt8] = []
        out.reserveCapacity(bytes.count * 2)
        var index = 0
        while index < bytes.count, !isRaw {
            add(bytes[index], to: &out)
            index += 1
        }
        if isRaw { out.append(contentsOf: bytes[index...]) }
        return out
    }

    /// What is still to be written when the text has ended, however it ended.
    mutating func end() -> [UInt8] {
        var out: [UInt8] = []
        if heldLead { out.append(0xC2) }
        heldLead = false
        ink(nil, &out)
        if !isRaw, grammar.mayEnd { out.append(0x0A) }
        return out
    }

    private mutating func add(_ byte: UInt8, to out: inout [UInt8]) {
        let wasInScalar = grammar.isInScalar
        let depth = grammar.depth
        let step = grammar.take(byte)
        if wasInScalar, !grammar.isInScalar || step == .fault {
            ink(nil, &out)
            if depth == 0 { needsLine = true }
        }
        switch step {
        case .space: break
        case .open:
            breakLine(depth, &out)
            out.append(byte)
            needsLine = true
        case .close(let isEmpty):
            needsLine = !isEmpty
            breakLine(depth - 1, &out)
            out.append(byte)
            needsLine = depth == 1
        case .comma:
            out.append(byte)
            needsLine = true
        case .colon:
            out.append(byte)
            out.append(0x20)
        case .stringBegins(let isName):
            breakLine(depth, &out)
            ink(isName ? .name : .string, &out)
            out.append(byte)
        case .stringByte: addInString(byte, &out)
        case .stringEnds:
            if heldLead { out.append(0xC2) }
            heldLead = false
            out.append(byte)
            ink(nil, &out)
            needsLine = depth == 0
        case .scalarBegins(let isNumber):
            breakLine(depth, &out)
            ink(isNumber ? .number : .word, &out)
            out.append(byte)
        case .scalarByte: out.append(byte)
        case .fault:
            if heldLead { out.append(0xC2) }
            heldLead = false
            ink(nil, &out)
            isRaw = true
            out.append(byte)
        }
    }

    /// A control character that JSON allows unescaped (DEL, and U+0080 to U+009F, which terminals obey) is shown as its escape.
    private mutating func addInString(_ byte: UInt8, _ out: inout [UInt8]) {
        if heldLead {
            heldLead = false
            if (0x80...0x9F).contains(byte) { return escape(byte, &out) }
            out.append(0xC2)
        }
        switch byte {
        case 0xC2: heldLead = true
        case 0x7F: escape(byte, &out)
        default: out.append(byte)
        }
    }

    private func escape(_ code: UInt8, _ out: inout [UInt8]) {
        out.append(contentsOf: "\\u00\(String(code, radix: 16))".utf8)
    }

    private mutating func breakLine(_ depth: Int, _ out: inout [UInt8]) {
        guard needsLine else { return }
        needsLine = false
        out.append(0x0A)
        out.append(contentsOf: repeatElement(0x20, count: depth * 2))
    }

    private mutating func ink(_ ink: Ink?, _ out: inout [UInt8]) {
        guard hasColour, isColoured || ink != nil else { return }
        isColoured = ink != nil
        out.append(contentsOf: "\u{1B}[\(ink?.rawValue ?? "0")m".utf8)
    }
}

extension JSONPrinter {
    /// Whether a body of this type is JSON.
    static func reads(_ contentType: String?) -> Bool {
        let type = (contentType ?? "").prefix { $0 != ";" }.lowercased().filter { $0 != " " }
        return type == "application/json" || type == "text/json" || type.hasSuffix("+json")
            || ["application/x-ndjson", "application/jsonl", "application/x-jsonlines"].contains(type)
    }
}
