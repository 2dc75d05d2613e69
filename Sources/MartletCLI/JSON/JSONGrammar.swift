// JSON byte by byte (RFC 8259): each byte is told what it is, and no value is made. So a text can be laid out while it arrives
// with its numbers, its escapes and the order of its keys as they are, and the same rules check what `--json` is given.

/// A reader of JSON text that holds nothing but its place in it.
struct JSONGrammar: Sendable {
    /// What a byte is.
    enum Step: Equatable {
        /// White space between tokens.
        case space
        /// `{` or `[`.
        case open
        /// `}` or `]`, and whether nothing stood before it.
        case close(isEmpty: Bool)
        case comma
        case colon
        /// The quotation mark that begins a name or a string.
        case stringBegins(isName: Bool)
        case stringByte
        case stringEnds
        /// The first byte of a number, `true`, `false` or `null`.
        case scalarBegins(isNumber: Bool)
        case scalarByte
        /// It cannot stand here: what was read is not JSON, and the grammar is of no more use.
        case fault
    }

    private enum Place {
        case value, firstValue, afterValue, firstName, name, afterName
        case string(isName: Bool, StringPlace)
        case scalar(Scalar)
    }

    private enum StringPlace {
        case plain, escape
        case hex(left: Int)
    }

    /// Deeper than this is a fault: every line of a text that nests without end would be longer than the one before.
    private static let maximumDepth = 512

    private var containers: [UInt8] = []
    private var place = Place.value
    /// How many values there were outside all containers.
    private(set) var topLevelValues = 0

    /// How many containers are open.
    var depth: Int { containers.count }

    /// Whether a byte that is no part of a number or word ends one now.
    private(set) var isInScalar = false

    /// Whether the text may end here, with one value at least.
    var mayEnd: Bool {
        switch place {
        case .afterValue: containers.isEmpty
        case .scalar(let scalar): containers.isEmpty && scalar.isComplete
        default: false
        }
    }

    /// Takes the next byte.
    mutating func take(_ byte: UInt8) -> Step {
        if case .scalar(var scalar) = place {
            if scalar.take(byte) {
                place = .scalar(scalar)
                return .scalarByte
            }
            guard scalar.isComplete else { return .fault }
            isInScalar = false
            endValue()
        }
        if case .string(let isName, let inside) = place { return takeInString(byte, isName, inside) }
        switch byte {
        case 0x20, 0x09, 0x0A, 0x0D: return .space
        case UInt8(ascii: "{"), UInt8(ascii: "["): return open(byte)
        case UInt8(ascii: "}"), UInt8(ascii: "]"): return close(byte)
        case UInt8(ascii: ","): return comma()
        case UInt8(ascii: ":"):
            guard case .afterName = place else { return .fault }
            place = .value
            return .colon
        case UInt8(ascii: "\""):
            let isName = mayTakeName
            guard isName || mayTakeValue else { return .fault }
            place = .string(isName: isName, .plain)
            return .stringBegins(isName: isName)
        default:
            guard mayTakeValue, let scalar = Scalar(first: byte) else { return .fault }
            isInScalar = true
            place = .scalar(scalar)
            return .scalarBegins(isNumber: scalar.isNumber)
        }
    }

    private var mayTakeValue: Bool {
        switch place {
        case .value, .firstValue: true
        // Several values one after the other, as in JSON lines.
        case .afterValue: containers.isEmpty
        default: false
        }
    }

    private var mayTakeName: Bool {
        switch place {
        case .firstName, .name: true
        default: false
        }
    }

    private mutating func endValue() {
        if containers.isEmpty { topLevelValues += 1 }
        place = .afterValue
    }

    private mutating func open(_ byte: UInt8) -> Step {
        guard mayTakeValue, containers.count < Self.maximumDepth else { return .fault }
        containers.append(byte)
        place = byte == UInt8(ascii: "{") ? .firstName : .firstValue
        return .open
    }

    private mutating func close(_ byte: UInt8) -> Step {
        // Either sign that closes is two behind the one that opens.
        guard let opener = containers.last, opener + 2 == byte else { return .fault }
        let isEmpty: Bool
        switch place {
        case .firstName, .firstValue: isEmpty = true
        case .afterValue: isEmpty = false
        default: return .fault
        }
        containers.removeLast()
        endValue()
        return .close(isEmpty: isEmpty)
    }

    private mutating func comma() -> Step {
        guard case .afterValue = place, let container = containers.last else { return .fault }
        place = container == UInt8(ascii: "{") ? .name : .value
        return .comma
    }

    private mutating func takeInString(_ byte: UInt8, _ isName: Bool, _ inside: StringPlace) -> Step {
        switch inside {
        case .plain where byte == UInt8(ascii: "\""):
            if isName { place = .afterName } else { endValue() }
            return .stringEnds
        case .plain where byte == UInt8(ascii: "\\"):
            place = .string(isName: isName, .escape)
        case .plain:
            if byte < 0x20 { return .fault }
        case .escape where byte == UInt8(ascii: "u"):
            place = .string(isName: isName, .hex(left: 4))
        case .escape:
            guard Array("\"\\/bfnrt".utf8).contains(byte) else { return .fault }
            place = .string(isName: isName, .plain)
        case .hex(let left):
            guard Self.isHexDigit(byte) else { return .fault }
            place = .string(isName: isName, left > 1 ? .hex(left: left - 1) : .plain)
        }
        return .stringByte
    }

    private static func isHexDigit(_ byte: UInt8) -> Bool {
        (0x30...0x39).contains(byte) || (0x61...0x66).contains(byte | 0x20)
    }
}

extension JSONGrammar {
    /// The character, from 1, at which a text stops being one JSON value; nil when it is one.
    static func fault(in text: String) -> Int? {
        var grammar = JSONGrammar()
        for (index, byte) in text.utf8.enumerated() {
            let step = grammar.take(byte)
            guard step != .fault, grammar.topLevelValues == 0 || grammar.mayEnd && isEnd(step) else {
                return text.utf8.prefix(index).reduce(1) { $0 + ($1 & 0xC0 == 0x80 ? 0 : 1) }
            }
        }
        return grammar.mayEnd ? nil : text.unicodeScalars.count + 1
    }

    /// Whether a step may come once the one value is complete: its own last, or space.
    private static func isEnd(_ step: Step) -> Bool {
        switch step {
        case .space, .stringEnds, .close: true
        default: false
        }
    }
}
