// Keys in another spelling, one key of a path at a time, so that nested keys change as those at the root do.

extension URLEncodedFormEncoder {
    /// What becomes of each key of a path, before the keys are joined; keys of dictionaries are changed too.
    public enum KeyEncoding: Sendable {
        /// `oneTwoThree`
        case unchanged
        /// `one_two_three`
        case snakeCase
        /// `one-two-three`
        case kebabCase
        /// `OneTwoThree`: the first letter made large.
        case capitalized
        /// `ONETWOTHREE`
        case uppercased
        /// `onetwothree`
        case lowercased
        /// What a closure makes of the key.
        case custom(@Sendable (String) -> String)

        /// The key as it is written.
        func name(_ key: String) -> String {
            switch self {
            case .unchanged: key
            case .snakeCase: Self.separated(key, by: "_")
            case .kebabCase: Self.separated(key, by: "-")
            case .capitalized: key.prefix(1).uppercased() + key.dropFirst()
            case .uppercased: key.uppercased()
            case .lowercased: key.lowercased()
            case .custom(let change): change(key)
            }
        }

        /// The key that a name may have been, where that can be told; for code that asks which keys there are.
        func key(_ name: String) -> String {
            switch self {
            case .snakeCase: Self.joined(name, by: "_")
            case .kebabCase: Self.joined(name, by: "-")
            case .capitalized: name.prefix(1).lowercased() + name.dropFirst()
            default: name
            }
        }

        /// Words begin at a capital after a small letter, and at the last of several capitals: `myURLPath` is `my_url_path`.
        private static func separated(_ key: String, by separator: Character) -> String {
            let letters = Array(key)
            var text = ""
            for (index, letter) in letters.enumerated() {
                if letter.isUppercase, index > 0, letters[index - 1] != separator {
                    let followsCapital = letters[index - 1].isUppercase
                    let precedesSmall = index + 1 < letters.count && letters[index + 1].isLowercase
                    if !followsCapital || precedesSmall { text.append(separator) }
                }
                text += letter.lowercased()
            }
            return text
        }

        private static func joined(_ name: String, by separator: Character) -> String {
            let words = name.split(separator: separator, omittingEmptySubsequences: false)
            guard let first = words.first, !first.isEmpty else { return name }
            return words.dropFirst().reduce(String(first)) { $0 + $1.prefix(1).uppercased() + $1.dropFirst() }
        }
    }
}
