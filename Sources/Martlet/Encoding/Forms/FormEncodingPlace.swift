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

    func text(_ value: Bool) -> FormValue { .text(rules.booleans.text(value)) }

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
        if Value.self == Decimal.self, let decimal = value as? Decimal { return try formValue(of: decimal) }
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

    private func formValue(of decimal: Decimal) throws -> FormValue {
        guard decimal.isFinite else {
            throw FormEncodingSession.error(codingPath, "A decimal that is not a number has no place in a form.")
        }
        return .text(decimal.description)
    }

    private func formValue(of date: Date) throws -> FormValue {
        switch rules.dates {
        case .deferredToDate: return try ownFormValue(of: date)
        case .secondsSince1970: return try number(date.timeIntervalSince1970)
        case .millisecondsSince1970: return try number(date.timeIntervalSince1970 * 1000)
        case .formatted(let formatter): return .text(formatter.string(from: date))
        case .custom(let text): return .text(try text(date))
        case .iso8601:
            // Foundation has no text for all dates, and RFC 3339 only for those of years with four digits.
            guard Self.years.contains(date.timeIntervalSince1970) else {
                throw FormEncodingSession.error(codingPath, "The date is not in a year from 1 to 9999.")
            }
            return .text(date.formatted(.iso8601))
        }
    }

    /// The years 1 to 9999, in seconds since 1970.
    private static let years = -62_135_596_800.0..<253_402_300_800

    private func number(_ value: Double) throws -> FormValue {
        try Int64(exactly: value).map { .text(String($0)) } ?? text(value)
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
