// JSON of any shape, for bodies that no type describes (RFC 8259). Integers keep their precision: a number without a
// fraction or an exponent is an integer, in 64 bits, before it is anything else.

/// A JSON value: what `json()` gives when it is asked for no type.
///
/// ```swift
/// let user = try await client.get("/users/1").json()
/// let city = user.address?.city?.string
/// let first = user["tags"]?[0]?.string
/// ```
@dynamicMemberLookup
public enum JSONValue: Sendable {
    /// `null`.
    case null
    /// `true` or `false`.
    case bool(Bool)
    /// A number without a fraction or exponent.
    case integer(Int64)
    /// A number without a fraction or exponent that is above `Int64.max`.
    case unsigned(UInt64)
    /// Any other number.
    case double(Double)
    /// A string.
    case string(String)
    /// An array.
    case array([JSONValue])
    /// An object. Of equal names one counts; their order is not kept.
    case object([String: JSONValue])
}

extension JSONValue {
    /// The string, or nil when the value is not one.
    public var string: String? {
        if case .string(let value) = self { value } else { nil }
    }

    /// The boolean, or nil when the value is not one.
    public var bool: Bool? {
        if case .bool(let value) = self { value } else { nil }
    }

    /// The number as an integer, or nil when it has a fraction, does not fit, or the value is not a number.
    public var int: Int? {
        switch self {
        case .integer(let value): Int(exactly: value)
        case .unsigned(let value): Int(exactly: value)
        case .double(let value): Int(exactly: value)
        default: nil
        }
    }

    /// The number in floating point, or nil when the value is not a number. Large integers are rounded.
    public var double: Double? {
        switch self {
        case .integer(let value): Double(value)
        case .unsigned(let value): Double(value)
        case .double(let value): value
        default: nil
        }
    }

    /// The elements, or nil when the value is not an array.
    public var array: [JSONValue]? {
        if case .array(let value) = self { value } else { nil }
    }

    /// The members, or nil when the value is not an object.
    public var object: [String: JSONValue]? {
        if case .object(let value) = self { value } else { nil }
    }

    /// Whether the value is `null`.
    public var isNull: Bool {
        if case .null = self { true } else { false }
    }

    /// The member of an object, or nil when there is none or the value is not an object.
    ///
    /// Setting makes an object of a value that is none; setting nil removes the member.
    public subscript(key: String) -> JSONValue? {
        get { object?[key] }
        set {
            var members = object ?? [:]
            // The value must not hold a second reference, or each change would copy all members.
            self = .null
            members[key] = newValue
            self = .object(members)
        }
    }

    /// The element of an array, or nil when the index is out of range or the value is not an array.
    public subscript(index: Int) -> JSONValue? {
        guard case .array(let elements) = self, elements.indices.contains(index) else { return nil }
        return elements[index]
    }

    /// The member of an object by name, like `value["name"]`; a name that is a member of this type needs the subscript.
    public subscript(dynamicMember name: String) -> JSONValue? {
        get { self[name] }
        set { self[name] = newValue }
    }
}

extension JSONValue {
    /// The value without the members that are `null`, and without the `null`s in arrays, at every level.
    public var removingNulls: JSONValue {
        switch self {
        case .array(let elements): .array(elements.filter { !$0.isNull }.map(\.removingNulls))
        case .object(let members): .object(members.filter { !$0.value.isNull }.mapValues(\.removingNulls))
        default: self
        }
    }
}

extension JSONValue: Hashable {
    /// Whether the values are the same; numbers are when they have the same value, however they are held.
    public static func == (left: JSONValue, right: JSONValue) -> Bool {
        switch (left.withNormalNumber, right.withNormalNumber) {
        case (.null, .null): true
        case (.bool(let left), .bool(let right)): left == right
        case (.integer(let left), .integer(let right)): left == right
        case (.unsigned(let left), .unsigned(let right)): left == right
        case (.double(let left), .double(let right)): left == right
        case (.string(let left), .string(let right)): left == right
        case (.array(let left), .array(let right)): left == right
        case (.object(let left), .object(let right)): left == right
        default: false
        }
    }

    /// Hashes the value, numbers by their value.
    public func hash(into hasher: inout Hasher) {
        switch withNormalNumber {
        case .null: hasher.combine(0)
        case .bool(let value): hasher.combine(value)
        case .integer(let value): hasher.combine(value)
        case .unsigned(let value): hasher.combine(value)
        case .double(let value): hasher.combine(value)
        case .string(let value): hasher.combine(value)
        case .array(let value): hasher.combine(value)
        case .object(let value): hasher.combine(value)
        }
    }

    /// A number in the first of integer, unsigned and double that holds it exactly; any other value as it is.
    private var withNormalNumber: JSONValue {
        switch self {
        case .unsigned(let value): Int64(exactly: value).map { .integer($0) } ?? self
        case .double(let value):
            Int64(exactly: value).map { .integer($0) } ?? UInt64(exactly: value).map { .unsigned($0) } ?? self
        default: self
        }
    }
}
