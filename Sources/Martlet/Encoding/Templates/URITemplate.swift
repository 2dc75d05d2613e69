// URI templates (RFC 6570), levels 1 to 4: `/repos/{owner}/{repo}{?page}`. Read once, strictly: what the grammar does not have is
// an error rather than text, since a typing error in a template would go to the server as it is.

/// A URI template.
///
/// ```swift
/// let template = try URITemplate("/repos/{owner}/{repo}/issues{?page,labels*}")
/// let path = try template.expand(["owner": "ada", "repo": "engine", "labels": ["bug", "help"]])
/// // /repos/ada/engine/issues?labels=bug&labels=help
/// ```
public struct URITemplate: Sendable, Hashable {
    /// The template's text.
    public let text: String
    let parts: [Part]

    enum Part: Sendable, Hashable {
        case literal(String)
        case expression(Operator, [Variable])
    }

    struct Variable: Sendable, Hashable {
        enum Modifier: Sendable, Hashable {
            case none
            /// `*`: each element for itself.
            case explode
            /// `:n`: the first characters only.
            case prefix(Int)
        }

        var name: String
        var modifier: Modifier
    }

    /// How the values of an expression are put together (RFC 6570, appendix A).
    enum Operator: UInt8, Sendable, Hashable {
        case simple = 0
        case reserved = 0x2B
        case fragment = 0x23
        case label = 0x2E
        case path = 0x2F
        case parameter = 0x3B
        case query = 0x3F
        case continuation = 0x26

        var first: String {
            switch self {
            case .simple, .reserved: ""
            case .fragment: "#"
            case .label: "."
            case .path: "/"
            case .parameter: ";"
            case .query: "?"
            case .continuation: "&"
            }
        }

        var separator: String {
            switch self {
            case .simple, .reserved, .fragment: ","
            case .label: "."
            case .path: "/"
            case .parameter: ";"
            case .query, .continuation: "&"
            }
        }

        var isNamed: Bool { self == .parameter || self == .query || self == .continuation }
        var afterEmptyName: String { self == .query || self == .continuation ? "=" : "" }
        var allowsReserved: Bool { self == .reserved || self == .fragment }
    }

    /// Reads a template.
    ///
    /// - Throws: `invalidURL` for what the grammar of RFC 6570 does not have: an open brace, an unknown operator, a name with other
    ///   characters than letters, digits, `_`, `.` and escapes, a prefix that is no number from 1 to 9999.
    public init(_ text: String) throws(MartletError) {
        self.text = text
        var reader = URITemplateReader(text)
        parts = try reader.read()
    }

    /// The names of the variables, each once, in the order in which they come first.
    public var variableNames: [String] {
        var seen = Set<String>()
        return parts.flatMap { part -> [String] in
            guard case .expression(_, let variables) = part else { return [] }
            return variables.map(\.name)
        }.filter { seen.insert($0).inserted }
    }
}

extension URITemplate: CustomStringConvertible {
    /// The template's text.
    public var description: String { text }
}
