// A text that must not be seen: a password, a token, a key. Whatever prints it (descriptions, reflection, `dump`, the text of
// what holds it) shows `<redacted>`, and it has no encoding; only code that says `revealed` gets at it.

/// A secret text, such as a password or a token.
///
/// ```swift
/// let token: Secret = "s3cr3t"
/// print(token)  // <redacted>
/// ```
///
/// A secret can be decoded, as from a configuration, but not encoded. Two are equal when their texts are.
public struct Secret: Sendable, Hashable {
    private let text: String

    /// Makes a secret of a text.
    public init(_ text: String) { self.text = text }

    /// The text itself. What is done with it is no longer looked after.
    public var revealed: String { text }

    /// Whether the text is empty.
    public var isEmpty: Bool { text.isEmpty }

    /// Whether the texts are equal; how long that takes does not tell where they differ.
    public static func == (left: Secret, right: Secret) -> Bool {
        guard left.text.utf8.count == right.text.utf8.count else { return false }
        var difference: UInt8 = 0
        for (one, other) in zip(left.text.utf8, right.text.utf8) { difference |= one ^ other }
        return difference == 0
    }

    /// Hashes the bytes of the text.
    public func hash(into hasher: inout Hasher) {
        for byte in text.utf8 { hasher.combine(byte) }
    }
}

extension Secret: ExpressibleByStringLiteral {
    /// Makes a secret of a literal, for tests and examples: secrets do not belong into sources.
    public init(stringLiteral value: String) { self.init(value) }
}

extension Secret: Decodable {
    /// Decodes a secret from a string. Throws what the decoder throws.
    public init(from decoder: any Decoder) throws {
        self.init(try decoder.singleValueContainer().decode(String.self))
    }
}

extension Secret: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
    /// `<redacted>`, whatever the text.
    public var description: String { Self.redacted }

    /// `<redacted>`, whatever the text.
    public var debugDescription: String { Self.redacted }

    /// A mirror that shows nothing.
    public var customMirror: Mirror { Mirror(self, children: [:]) }

    /// What stands in the place of a secret.
    static let redacted = "<redacted>"
}
