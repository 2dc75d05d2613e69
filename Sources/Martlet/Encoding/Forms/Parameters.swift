// Names and values of any kinds, written as a literal where they are used. A structure of its own, because a dictionary literal
// cannot mix kinds, and one with a name twice traps.

/// Names and values for a query, a form or a URI template.
///
/// ```swift
/// let call = client.get("/search").query(["q": term, "page": 2, "tags": ["a", "b"], "cursor": cursor])
/// ```
///
/// Values are anything `Encodable`; nil is left out. A name may come more than once. What is nested and mixes kinds says what it
/// is: `["filter": ["year": 2026, "open": true] as Parameters]`.
public struct Parameters: Sendable, ExpressibleByDictionaryLiteral {
    /// A value; nil is written as the encoder's strategy says, by default not at all.
    public typealias Value = (any Encodable & Sendable)?

    private(set) var items: [(name: String, value: Value)] = []

    /// No parameters.
    public init() {}

    /// Parameters from a literal, in its order.
    public init(dictionaryLiteral items: (String, Value)...) {
        self.items = items.map { (name: $0.0, value: $0.1) }
    }

    /// Parameters from pairs, in their order.
    public init(_ items: [(String, Value)]) {
        self.items = items.map { (name: $0.0, value: $0.1) }
    }

    /// Adds a parameter at the end, whether or not there is one of that name.
    public mutating func append(_ name: String, _ value: Value) {
        items.append((name: name, value: value))
    }

    /// Whether there are none.
    public var isEmpty: Bool { items.isEmpty }
}

extension Parameters: Encodable {
    /// Writes the parameters as an object. Encoders other than Martlet's keep the last of those of one name.
    public func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: FormKey.self)
        for item in items {
            let key = FormKey(stringValue: item.name)
            if let value = item.value {
                try container.encode(value, forKey: key)
            } else {
                try container.encodeNil(forKey: key)
            }
        }
    }
}
