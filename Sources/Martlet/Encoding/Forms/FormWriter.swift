// From the tree to text: names joined and sorted, values escaped byte by byte in one pass. Nothing is split into batches, so no
// character can be torn apart.

struct FormWriter {
    let rules: URLEncodedFormEncoder
    private(set) var bytes: [UInt8] = []

    init(rules: URLEncodedFormEncoder) { self.rules = rules }

    /// Writes all of a tree; throws for a root without keys.
    mutating func write(root: FormValue) throws {
        switch root.resolved {
        case .keyed(let object): try write(object, below: nil)
        case .list(let list): for element in list.elements { try write(pair: element) }
        case .text, .null, .slot: throw Self.rootError
        }
    }

    private static var rootError: EncodingError {
        EncodingError.invalidValue(
            "root",
            EncodingError.Context(
                codingPath: [],
                debugDescription: "The root of a form needs keys: a dictionary, a structure, or an array of pairs."))
    }

    /// Writes an element of a root array: an object, or a name and a value.
    private mutating func write(pair: FormValue) throws {
        switch pair.resolved {
        case .keyed(let object):
            try write(object, below: nil)
        case .list(let list):
            guard list.elements.count == 2, case .text(let name) = list.elements[0].resolved else {
                throw Self.rootError
            }
            switch list.elements[1].resolved {
            case .text, .null: try write(list.elements[1], name: rules.keys.name(name))
            default: throw Self.rootError
            }
        case .text, .null, .slot:
            throw Self.rootError
        }
    }

    private mutating func write(_ object: FormObject, below parent: String?) throws {
        var entries = object.entries.enumerated().map {
            (name: rules.keys.name($1.name), place: $0, value: $1.value)
        }
        if rules.sortsKeys { entries.sort { ($0.name, $0.place) < ($1.name, $1.place) } }
        for entry in entries {
            let name = parent.map { rules.keyPaths.path($0, entry.name) } ?? entry.name
            try write(entry.value, name: name)
        }
    }

    private mutating func write(_ value: FormValue, name: String) throws {
        switch value.resolved {
        case .text(let text):
            appendName(name)
            bytes.append(UInt8(ascii: "="))
            append(text)
        case .null:
            writeNull(name: name)
        case .keyed(let object):
            try write(object, below: name)
        case .list(let list):
            if case .commaSeparated = rules.arrays { return try writeJoined(list, name: name) }
            for (index, element) in list.elements.enumerated() {
                try write(element, name: rules.arrays.key(name, index))
            }
        case .slot:
            break
        }
    }

    private mutating func writeNull(name: String) {
        let text: String
        switch rules.nils {
        case .dropped: return
        case .keyOnly: return appendName(name)
        case .emptyValue: text = ""
        case .null: text = "null"
        case .custom(let value):
            guard let value = value(name) else { return }
            text = value
        }
        appendName(name)
        bytes.append(UInt8(ascii: "="))
        append(text)
    }

    private mutating func writeJoined(_ list: FormList, name: String) throws {
        var texts: [String] = []
        for element in list.elements {
            switch element.resolved {
            case .text(let text):
                texts.append(text)
            case .null:
                switch rules.nils {
                case .dropped: break
                case .emptyValue, .keyOnly: texts.append("")
                case .null: texts.append("null")
                case .custom(let value): if let text = value(name) { texts.append(text) }
                }
            case .keyed, .list, .slot:
                throw EncodingError.invalidValue(
                    name,
                    EncodingError.Context(
                        codingPath: [],
                        debugDescription:
                            "The array `\(name)` cannot be separated by commas: it holds more than plain values."
                    ))
            }
        }
        guard !texts.isEmpty else { return }
        appendName(name)
        for (index, text) in texts.enumerated() {
            bytes.append(index == 0 ? UInt8(ascii: "=") : UInt8(ascii: ","))
            // A comma among the allowed characters must not become a separator.
            for part in text.split(separator: ",", omittingEmptySubsequences: false).enumerated() {
                if part.offset > 0 { ASCII.appendEscape(UInt8(ascii: ","), to: &bytes) }
                append(part.element)
            }
        }
    }

    private mutating func appendName(_ name: String) {
        if !bytes.isEmpty { bytes.append(UInt8(ascii: "&")) }
        append(name)
    }

    /// Appends a text, escaped.
    mutating func append(_ text: some StringProtocol) {
        for byte in text.utf8 {
            if rules.allowedCharacters.contains(byte) {
                bytes.append(byte)
            } else if byte == 0x20, case .plusReplaced = rules.spaces {
                bytes.append(UInt8(ascii: "+"))
            } else {
                ASCII.appendEscape(byte, to: &bytes)
            }
        }
    }
}
