// The collection face of the header fields, and the field itself: a pair of strings whose name has no case.

extension HTTPHeaders {
    /// One header field. Two fields are equal when their values are and their names differ in case at most.
    public struct Field: Sendable, Hashable, CustomStringConvertible, CustomReflectable {
        /// The name, as it is or will be spelled on the wire.
        public var name: String
        /// The value.
        public var value: String

        /// Makes a field; illegal bytes are refused when it is sent, with `invalidRequest`.
        public init(_ name: String, _ value: String) {
            self.name = name
            self.value = value
        }

        /// Whether the value is a secret that logs and errors must not show: see ``Redaction/headers``.
        public var isSensitive: Bool { Redaction.standard.headers.contains(name) }

        /// `Name: value`; a sensitive value reads `<redacted>`, and so do the query values of a URL, as in `Location`.
        public var description: String { "\(name): \(Redaction.standard.value(value, ofHeader: name))" }

        /// The description, so that `dump` shows no secret either.
        public var customMirror: Mirror { Mirror(self, unlabeledChildren: CollectionOfOne(description)) }

        /// Whether the values are equal and the names differ in case at most.
        public static func == (left: Field, right: Field) -> Bool {
            left.value == right.value
                && left.name.utf8.elementsEqual(right.name.utf8) {
                    HTTPSyntax.lowercased($0) == HTTPSyntax.lowercased($1)
                }
        }

        /// Hashes the value and the name without its case.
        public func hash(into hasher: inout Hasher) {
            for byte in name.utf8 { hasher.combine(HTTPSyntax.lowercased(byte)) }
            hasher.combine(value)
        }
    }
}

extension HTTPHeaders: RandomAccessCollection {
    /// The place of the first field.
    public var startIndex: Int { 0 }
    /// The place behind the last field.
    public var endIndex: Int { records.count }

    /// The field at a place; the place must be valid, as with an array.
    public subscript(position: Int) -> Field {
        Field(text(records[position].name), text(records[position].value))
    }
}

extension HTTPHeaders: ExpressibleByDictionaryLiteral {
    /// The fields of the literal in its order; a name given twice, in whatever case, is one field: the last wins.
    public init(dictionaryLiteral elements: (String, String)...) {
        self.init()
        for (name, value) in elements { set(name, value) }
    }

    /// The fields of a dictionary, ordered by name, so that the same dictionary gives the same head.
    public init(_ dictionary: [String: String]) {
        self.init()
        for (name, value) in dictionary.sorted(by: { $0.key < $1.key }) { set(name, value) }
    }
}

extension HTTPHeaders: ExpressibleByArrayLiteral {
    /// The fields of the literal, repeated ones kept.
    public init(arrayLiteral elements: Field...) { self.init(elements) }
}

extension HTTPHeaders: Hashable {
    /// Whether both hold the same fields in the same order, their names compared without case.
    public static func == (left: HTTPHeaders, right: HTTPHeaders) -> Bool { left.elementsEqual(right) }

    /// Hashes the fields in order.
    public func hash(into hasher: inout Hasher) {
        hasher.combine(count)
        for field in self { hasher.combine(field) }
    }
}

extension HTTPHeaders: CustomStringConvertible, CustomReflectable {
    /// The fields as `Name: value`, one a line; sensitive values read `<redacted>`.
    public var description: String { map(\.description).joined(separator: "\n") }

    /// The fields' descriptions, so that `dump` shows no secret either.
    public var customMirror: Mirror { Mirror(self, unlabeledChildren: map(\.description), displayStyle: .collection) }
}
