// The value of an option, read as what the option takes. What is wrong with it is said in a sentence with the option's name
// as it was written; values that may be secrets are not quoted.

import Martlet

/// What was given to an option.
struct ArgumentValue {
    /// The option as it was written: `-H` or `--header`.
    let option: String
    let text: String

    func notEmpty() throws(ToolFailure) -> String {
        guard !text.isEmpty else { throw .usage("The value of \(option) is empty.") }
        return text
    }

    /// `Name: value`.
    func header() throws(ToolFailure) -> HTTPHeaders.Field {
        guard let colon = text.firstIndex(of: ":") else {
            throw .usage("\(option) takes 'Name: value', and the one given has no colon.")
        }
        return try Self.header(
            String(text[..<colon]), String(text[text.index(after: colon)...]),
            from: "\(option) takes 'Name: value', and")
    }

    /// A header field, checked; `source` begins the sentence about a name that is none.
    static func header(
        _ name: String, _ value: String, from source: String
    ) throws(ToolFailure) -> HTTPHeaders.Field {
        guard HTTPSyntax.isToken(name) else {
            throw .usage("\(source) \(quoted(name)) is no name of a header field.")
        }
        guard value.utf8.allSatisfy(HTTPSyntax.isValueByte) else {
            throw .usage("The value of the header \(name) holds a control character.")
        }
        return HTTPHeaders.Field(name, value)
    }

    /// `name=value`.
    func pair() throws(ToolFailure) -> NamedText {
        guard let sign = text.firstIndex(of: "=") else {
            throw .usage("\(option) takes name=value, and the one given has no =.")
        }
        return NamedText(String(text[..<sign]), String(text[text.index(after: sign)...]))
    }

    /// `NAME:PASSWORD`, which is not quoted.
    func login() throws(ToolFailure) -> RequestPlan.Login {
        guard let colon = text.firstIndex(of: ":") else {
            throw .usage("\(option) takes NAME:PASSWORD, and the one given has no colon.")
        }
        return RequestPlan.Login(
            name: String(text[..<colon]), password: Secret(String(text[text.index(after: colon)...])))
    }

    /// Text, `@FILE` or `@-`.
    func bodySource() throws(ToolFailure) -> BodySource {
        guard text.hasPrefix("@") else { return .text(text) }
        return try BodySource(reference: String(text.dropFirst()), from: option)
    }

    /// A file, or nil for standard output asked for by `-`.
    func output() throws(ToolFailure) -> RequestPlan.Output {
        let path = try notEmpty()
        return path == "-" ? .standardOutput : .file(path)
    }

    /// One of the words of an enumeration.
    func word<Choice: RawRepresentable & CaseIterable>() throws(ToolFailure) -> Choice
    where Choice.RawValue == String {
        guard let choice = Choice(rawValue: text) else {
            let words = Choice.allCases.map(\.rawValue).joined(separator: ", ")
            throw .usage("\(option) takes one of \(words), and got \(quoted(text)).")
        }
        return choice
    }

    /// A SHA-256 in hexadecimal digits.
    func sha256() throws(ToolFailure) -> String {
        guard text.utf8.count == 64, text.allSatisfy({ $0.isASCII && $0.isHexDigit }) else {
            throw .usage("\(option) takes 64 hexadecimal digits, and got \(quoted(text)).")
        }
        return text
    }

    /// A number from 1.
    func count(upTo limit: Int) throws(ToolFailure) -> Int {
        guard !text.isEmpty, text.utf8.allSatisfy({ (0x30...0x39).contains($0) }), let count = Int(text),
            (1...limit).contains(count)
        else { throw .usage("\(option) takes a number from 1 to \(limit), and got \(quoted(text)).") }
        return count
    }

    /// Seconds in decimal, to the nanosecond and up to about 31 years.
    func seconds() throws(ToolFailure) -> Duration {
        let failure = ToolFailure.usage("\(option) takes seconds above 0, such as 10 or 2.5, and got \(quoted(text)).")
        let parts = text.split(separator: ".", maxSplits: 1, omittingEmptySubsequences: false)
        let whole = parts.first ?? ""
        let fraction = parts.count > 1 ? parts[1] : "0"
        func isNumber(_ text: Substring) -> Bool {
            !text.isEmpty && text.utf8.allSatisfy { (0x30...0x39).contains($0) }
        }
        guard isNumber(fraction), isNumber(whole) || (whole.isEmpty && parts.count > 1),
            let seconds = whole.isEmpty ? 0 : Int(whole), seconds < 1_000_000_000,
            let nanoseconds = Int(fraction.prefix(9))
        else { throw failure }
        let scale = [100_000_000, 10_000_000, 1_000_000, 100_000, 10_000, 1000, 100, 10, 1][
            min(fraction.count, 9) - 1]
        let duration = Duration.seconds(seconds) + .nanoseconds(nanoseconds * scale)
        guard duration > .zero else { throw failure }
        return duration
    }
}
