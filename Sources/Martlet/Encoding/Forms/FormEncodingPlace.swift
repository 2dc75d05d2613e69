// Where in the tree an encoder stands, and how it turns values into parts of it. What cannot be thrown where it happens (a
// container asked for twice in two forms) is kept in the session and thrown at the end: an `Encodable` must not trap the process.

import Foundation

/// What all encoders of one value share.
final class FormEncodingSession {
    let rules: URLEncodedFormEncoder
    private(set) var failure: EncodingError?

    init(rules: URLEncodedFormEncoder) { self.rules = rules }

    /// Keeps the first failure.
    func fail(_ codingPath: [any CodingKey], _ what: String) {
        if failure == nil { failure = Self.error(codingPath, what) }
    }

    static func error(_ codingPath: [any CodingKey], _ what: String) -> EncodingError {
        EncodingError.invalidValue(what, EncodingError.Context(codingPath: codingPath, debugDescription: what))
    }
}

/// A place in the value that is being encoded.
struct FormEncodingPlace {
    let session: FormEncodingSession
    let codingPath: [any CodingKey]
    let depth: Int

    private var rules: URLEncodedFormEncoder { session.rules }

    /// The place below this one, under a key. Below the deepest place there is nothing that needs a path of its own.
    func below(_ key: any CodingKey) -> FormEncodingPlace {
        guard depth <= URLEncodedFormEncoder.maximumDepth else { return self }
        return FormEncodingPlace(session: session, codingPath: codingPath + [key], depth: depth + 1)
    }

    /// The same place, one call deeper on the stack.
    private var inside: FormEncodingPlace {
        FormEncodingPlace(session: session, codingPath: codingPath, depth: depth + 1)
    }

    /// Whether values may be nested as deeply as this; keeps the failure when not.
    func isWithinDepth() -> Bool {
        if depth <= URLEncodedFormEncoder.maximumDepth { return true }
        session.fail([], Self.tooDeep)
        return false
    }

    private static let tooDeep = "The value is nested more than \(URLEncodedFormEncoder.maximumDepth) levels deep."

    // MARK: Plain values

    func text(_ value: Bool) -> FormValue {
        switch rules.booleans {
        case .numeric: .text(value ? "1" : "0")
        case .literal: .text(value ? "true" : "false")
        }
    }

    func text(_ value: some BinaryFloatingPoint & LosslessStringConvertible) throws -> FormValue {
        if value.isFinite { return .text(String(value)) }
        guard case .literals(let positive, let negative, let nan) = rules.nonFiniteFloats else {
            throw FormEncodingSession.error(
                codingPath, "\(value) has no place in a form unless `nonFiniteFloats` says how it is written.")
        }
        return .text(value.isNaN ? nan : value < 0 ? negative : positive)
    }

    // MARK: Any value

    /// The tree of a value.
    func formValue<Value: Encodable>(of value: Value) throws -> FormValue {
        // Comparing types first: a cast costs more than all the rest.
        if Value.self == Date.self, let date = value as? Date { return try formValue(of: date) }
        if Value.self == Data.self, let data = value as? Data { return try formValue(of: data) }
        if Value.self == Decimal.self, let decimal = value as? Decimal { return .text(decimal.description) }
        if Value.self == URL.self, let url = value as? URL { return .text(url.absoluteString) }
        if Value.self == Parameters.self, let parameters = value as? Parameters {
            return try formValue(of: parameters)
        }
        return try ownFormValue(of: value)
    }

    /// The tree as the value itself encodes it.
    private func ownFormValue(of value: some Encodable) throws -> FormValue {
        guard depth <= URLEncodedFormEncoder.maximumDepth else { throw FormEncodingSession.error([], Self.tooDeep) }
        let slot = FormSlot()
        try value.encode(to: FormValueEncoder(place: inside, slot: slot))
        return FormValue.slot(slot).resolved
    }

    private func formValue(of parameters: Parameters) throws -> FormValue {
        let object = FormObject()
        for item in parameters.items {
            let place = below(FormKey(stringValue: item.name))
            object.append(item.name, try item.value.map { try place.formValue(of: $0) } ?? .null)
        }
        return .keyed(object)
    }

    private func formValue(of data: Data) throws -> FormValue {
        switch rules.data {
        case .base64: .text(data.base64EncodedString())
        case .deferredToData: try ownFormValue(of: data)
        case .custom(let text): .text(try text(data))
        }
    }

    private func formValue(of date: Date) throws -> FormValue {
        switch rules.dates {
        case .deferredToDate: try ownFormValue(of: date)
        case .secondsSince1970: .text(Self.number(date.timeIntervalSince1970))
        case .millisecondsSince1970: .text(Self.number(date.timeIntervalSince1970 * 1000))
        case .iso8601: .text(date.formatted(.iso8601))
        case .formatted(let formatter): .text(formatter.string(from: date))
        case .custom(let text): .text(try text(date))
        }
    }

    private static func number(_ value: Double) -> String {
        Int64(exactly: value).map { String($0) } ?? String(value)
    }
}

/// A key made of any text or index.
struct FormKey: CodingKey {
    let stringValue: String
    let intValue: Int?

    init(stringValue: String) {
        self.stringValue = stringValue
        intValue = nil
    }

    init(intValue: Int) {
        stringValue = String(intValue)
        self.intValue = intValue
    }
}
