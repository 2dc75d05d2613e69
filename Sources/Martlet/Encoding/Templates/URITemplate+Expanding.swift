// Expansion (RFC 6570, section 3). Values are encoded as forms encode theirs, with booleans and dates as a reader expects them in a
// URL; what is nil, absent or empty (an array, a dictionary) is undefined and leaves its place out.

extension URITemplate {
    /// A value in the forms that templates know.
    enum Value {
        case string(String)
        case list([String])
        case pairs([(name: String, value: String)])
    }

    /// The template with its variables replaced; one that is nil or not given is left out.
    ///
    /// Dictionaries and structures are written in the order of their names, ``Parameters`` in their own. Booleans are `true` and
    /// `false`, dates RFC 3339.
    ///
    /// - Throws: `encodingFailed` for a value that cannot be encoded or is nested, `invalidURL` for a prefix of an array or a
    ///   dictionary, of which there is none.
    public func expand(_ variables: Parameters) throws(MartletError) -> String {
        var values: [String: Value] = [:]
        for item in variables.items {
            guard let value = item.value else { continue }
            values[item.name] = try Self.value(value, of: item.name)
        }
        var text = ""
        for part in parts {
            switch part {
            case .literal(let literal):
                text += literal
            case .expression(let kind, let variables):
                var isFirst = true
                for variable in variables {
                    guard let value = values[variable.name],
                        let expansion = try Self.expand(variable, value, kind)
                    else { continue }
                    text += isFirst ? kind.first : kind.separator
                    text += expansion
                    isFirst = false
                }
            }
        }
        return text
    }

    private static func expand(
        _ variable: Variable, _ value: Value, _ kind: Operator
    ) throws(MartletError) -> String? {
        func escaped(_ text: String) -> String { escape(text[...], allowingReserved: kind.allowsReserved) }
        func named(_ name: String, _ text: String) -> String {
            guard kind.isNamed else { return text }
            return text.isEmpty ? name + kind.afterEmptyName : "\(name)=\(text)"
        }

        let isExploded = variable.modifier == .explode
        switch value {
        case .string(let text):
            guard case .prefix(let length) = variable.modifier else { return named(variable.name, escaped(text)) }
            let start = prefix(of: text, length, keepingEscapes: kind.allowsReserved)
            return named(variable.name, escape(start, allowingReserved: kind.allowsReserved))
        case .list(let elements):
            try refusePrefix(variable)
            if isExploded {
                return elements.map { named(variable.name, escaped($0)) }.joined(separator: kind.separator)
            }
            return named(variable.name, elements.map(escaped).joined(separator: ","))
        case .pairs(let pairs):
            try refusePrefix(variable)
            if isExploded {
                return pairs.map { pair in
                    let name = escaped(pair.name)
                    let value = escaped(pair.value)
                    return kind.isNamed ? named(name, value) : "\(name)=\(value)"
                }.joined(separator: kind.separator)
            }
            let joined = pairs.map { "\(escaped($0.name)),\(escaped($0.value))" }.joined(separator: ",")
            return named(variable.name, joined)
        }
    }

    private static func refusePrefix(_ variable: Variable) throws(MartletError) {
        guard case .prefix(let length) = variable.modifier else { return }
        throw MartletError(
            .invalidURL,
            "The URI template asks for the first \(length) characters of `\(variable.name)`, whose value is not one text."
        )
    }

    /// The first characters, counted as Unicode scalars; where escapes are kept, each is one of them.
    private static func prefix(of text: String, _ length: Int, keepingEscapes: Bool) -> Substring {
        let scalars = text.unicodeScalars
        var index = scalars.startIndex
        var count = 0
        while count < length, index < scalars.endIndex {
            let isEscape =
                keepingEscapes && scalars[index] == "%"
                && scalars[index...].dropFirst().prefix(2).count == 2
                && scalars[index...].dropFirst().prefix(2).allSatisfy { $0.properties.isASCIIHexDigit }
            index = scalars.index(index, offsetBy: isEscape ? 3 : 1)
            count += 1
        }
        return text[..<index]
    }

    private static func escape(_ text: Substring, allowingReserved: Bool) -> String {
        let source = Array(text.utf8)
        var bytes: [UInt8] = []
        for (index, byte) in source.enumerated() {
            let isKept =
                ASCII.isUnreserved(byte)
                || allowingReserved
                    && (URITemplateReader.isReserved(byte)
                        || byte == UInt8(ascii: "%") && URITemplateReader.isEscape(source, at: index))
            if isKept { bytes.append(byte) } else { ASCII.appendEscape(byte, to: &bytes) }
        }
        return String(decoding: bytes, as: UTF8.self)
    }

    // MARK: Values

    private static let encoder = {
        var encoder = URLEncodedFormEncoder()
        encoder.booleans = .literal
        encoder.dates = .iso8601
        return encoder
    }()

    /// The value as a template sees it; nil when it is undefined.
    private static func value(_ value: any Encodable & Sendable, of name: String) throws(MartletError) -> Value? {
        let tree: FormValue
        do {
            tree = try encoder.formValue(of: value)
        } catch {
            throw MartletError(
                .encodingFailed, "The value of `\(name)` could not be encoded into the URI template.", underlying: error
            )
        }
        func plain(_ value: FormValue) throws(MartletError) -> String? {
            switch value.resolved {
            case .text(let text): return text
            case .null: return nil
            case .keyed, .list, .slot:
                throw MartletError(
                    .encodingFailed,
                    "The value of `\(name)` is nested too deeply for a URI template: give plain values.")
            }
        }
        switch tree.resolved {
        case .text(let text):
            return .string(text)
        case .list(let list):
            var elements: [String] = []
            for element in list.elements {
                if let text = try plain(element) { elements.append(text) }
            }
            return elements.isEmpty ? nil : .list(elements)
        case .keyed(let object):
            var pairs: [(name: String, value: String)] = []
            for entry in object.entries {
                if let text = try plain(entry.value) { pairs.append((entry.name, text)) }
            }
            if !(value is Parameters) { pairs.sort { $0.name < $1.name } }
            return pairs.isEmpty ? nil : .pairs(pairs)
        case .null, .slot:
            return nil
        }
    }
}
