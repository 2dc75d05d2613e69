// Where in the form a decoder stands, and how it makes values of what is there.

import Foundation

/// A place in the form that is being decoded.
struct FormDecodingPlace {
    let rules: URLEncodedFormDecoder
    /// What stands there; nil when nothing does, which is also how a form writes what is empty.
    let node: FormNode?
    let codingPath: [any CodingKey]
    let depth: Int

    func below(_ key: any CodingKey, _ node: FormNode?) -> FormDecodingPlace {
        FormDecodingPlace(rules: rules, node: node, codingPath: codingPath + [key], depth: depth + 1)
    }

    private var context: DecodingError.Context {
        DecodingError.Context(codingPath: codingPath, debugDescription: "The form has no single value there.")
    }

    func corrupt(_ what: String) -> DecodingError { FormText.corrupt(what, codingPath) }

    // MARK: Plain values

    /// Whether nil stands there.
    var isNil: Bool {
        guard let node else { return true }
        guard node.isLeaf, node.values.count == 1 else { return false }
        let value = node.values[0]
        return switch rules.nils {
        case .absent: false
        case .emptyValue: value?.isEmpty ?? true
        case .keyOnly: value == nil
        case .null: value.map { $0.elementsEqual("null".utf8) } ?? false
        }
    }

    func text() throws -> String {
        guard let node else {
            guard let key = codingPath.last else { throw DecodingError.valueNotFound(String.self, context) }
            throw DecodingError.keyNotFound(
                key,
                DecodingError.Context(
                    codingPath: Array(codingPath.dropLast()), debugDescription: "The form has no such name."))
        }
        guard node.isLeaf, let first = node.values.first else { throw DecodingError.typeMismatch(String.self, context) }
        guard node.values.count == 1 else { throw corrupt("The form has several values where one is wanted.") }
        return try first.map(FormText.decode) ?? ""
    }

    func decode(_ type: Bool.Type) throws -> Bool {
        switch try text() {
        case "1", "true": true
        case "0", "false": false
        default: throw corrupt("The value is not a boolean: 1, 0, true or false.")
        }
    }

    func decode<Number: FixedWidthInteger>(integer type: Number.Type) throws -> Number {
        guard let number = Number(try text()) else { throw corrupt("The value is not an integer that \(type) holds.") }
        return number
    }

    func decode<Number: BinaryFloatingPoint & LosslessStringConvertible>(float type: Number.Type) throws -> Number {
        let text = try text()
        if case .literals(let positive, let negative, let nan) = rules.nonFiniteFloats {
            if text == positive { return .infinity }
            if text == negative { return -.infinity }
            if text == nan { return .nan }
        }
        guard let number = Number(text), number.isFinite else { throw corrupt("The value is not a number.") }
        return number
    }

    // MARK: Any value

    func decode<Value: Decodable>(_ type: Value.Type) throws -> Value {
        if type == Date.self, let value = try date() as? Value { return value }
        if type == Data.self, let value = try data() as? Value { return value }
        if type == Decimal.self, let value = try decimal() as? Value { return value }
        if type == URL.self, let value = try url() as? Value { return value }
        return try decodeItself(type)
    }

    private func decodeItself<Value: Decodable>(_ type: Value.Type) throws -> Value {
        guard depth <= URLEncodedFormDecoder.maximumDepth else { throw corrupt("The value is nested too deeply.") }
        return try Value(
            from: FormNodeDecoder(
                place: FormDecodingPlace(rules: rules, node: node, codingPath: codingPath, depth: depth + 1)))
    }

    private func date() throws -> Date {
        switch rules.dates {
        case .deferredToDate: return try decodeItself(Date.self)
        case .secondsSince1970: return Date(timeIntervalSince1970: try decode(float: Double.self))
        case .millisecondsSince1970: return Date(timeIntervalSince1970: try decode(float: Double.self) / 1000)
        case .custom(let date): return try date(try text())
        case .iso8601:
            guard let date = try? Date(try text(), strategy: .iso8601) else {
                throw corrupt("The value is not a date of RFC 3339.")
            }
            return date
        case .formatted(let formatter):
            guard let date = formatter.date(from: try text()) else { throw corrupt("The value is not a date.") }
            return date
        }
    }

    private func data() throws -> Data {
        switch rules.data {
        case .deferredToData: return try decodeItself(Data.self)
        case .custom(let data): return try data(try text())
        case .base64:
            guard let data = Data(base64Encoded: try text()) else { throw corrupt("The value is not Base64.") }
            return data
        }
    }

    private func decimal() throws -> Decimal {
        let text = try text()
        // Foundation takes any text that begins with a number.
        let digits = text.utf8.drop { $0 == UInt8(ascii: "-") }
        guard digits.contains(where: ASCII.isDigit), text.utf8.filter({ $0 == UInt8(ascii: ".") }).count <= 1,
            digits.allSatisfy({ ASCII.isDigit($0) || $0 == UInt8(ascii: ".") }), text.utf8.count - digits.count <= 1,
            let decimal = Decimal(string: text), decimal.isFinite
        else { throw corrupt("The value is not a decimal number.") }
        return decimal
    }

    private func url() throws -> URL {
        guard let url = URL(string: try text()) else { throw corrupt("The value is not a URL.") }
        return url
    }
}
