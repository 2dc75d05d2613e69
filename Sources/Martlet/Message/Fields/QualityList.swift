// Preferences with weights, as in `Accept`, `Accept-Encoding` and `Accept-Language` (RFC 9110, section 12.4.2). A weight that cannot be
// read takes its choice out of the list: nobody knows what was meant.

/// The choices of a field such as `Accept`, the most wanted first.
public struct QualityList: Hashable, Sendable {
    /// One choice: `text/html;q=0.8`.
    public struct Choice: Hashable, Sendable {
        /// What is wanted, in small letters, with its own parameters but without its weight.
        public let value: String
        /// How much, from 0 (not at all) to 1.
        public let quality: Double
    }

    /// The choices by falling weight, those of equal weight in their order.
    public let choices: [Choice]

    /// Reads the value of a field; of several fields, their values joined by commas.
    public init(_ text: String) {
        var reader = FieldReader(text)
        var choices: [Choice] = []
        while !reader.isAtEnd {
            let value = HeaderParameters.trimmed(
                reader.text { $0 != UInt8(ascii: ";") && $0 != UInt8(ascii: ",") }
            ).lowercased()
            let parameters = HeaderParameters.parameters(&reader, isListed: true)
            reader.advance()
            let own = parameters.prefix { $0.name != "q" }
            let weight = parameters.dropFirst(own.count).first.map { Self.quality($0.value) } ?? 1
            if !value.isEmpty, let weight {
                choices.append(Choice(value: Array(own).written(behind: value, separator: ";"), quality: weight))
            }
        }
        self.choices = choices.enumerated().sorted { left, right in
            (right.element.quality, left.offset) < (left.element.quality, right.offset)
        }.map(\.element)
    }

    /// The weight of a choice that is named, in any case, or that `*` stands for; nil when neither is there.
    public func quality(of value: String) -> Double? {
        let value = value.lowercased()
        return (choices.first { $0.value == value } ?? choices.first { $0.value == "*" })?.quality
    }

    /// `0`, `1`, and up to three decimals in between.
    private static func quality(_ text: String) -> Double? {
        let digits = Array(text.utf8)
        guard let first = digits.first, first == UInt8(ascii: "0") || first == UInt8(ascii: "1") else { return nil }
        guard digits.count > 1 else { return first == UInt8(ascii: "1") ? 1 : 0 }
        guard digits[1] == UInt8(ascii: "."), digits.count <= 5, digits.dropFirst(2).allSatisfy(ASCII.isDigit) else {
            return nil
        }
        let thousandths = (Int(text.dropFirst(2)) ?? 0) * [1_000, 100, 10, 1][digits.count - 2]
        if first == UInt8(ascii: "1") { return thousandths == 0 ? 1 : nil }
        return Double(thousandths) / 1_000
    }
}

extension HTTPHeaders {
    /// The choices of all fields of a name, such as `Accept`.
    public func choices(for name: String) -> QualityList { QualityList(combined(for: name) ?? "") }
}
