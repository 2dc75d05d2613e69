// A template as the URL of a call. Stricter than RFC 6570 where a slip would send the request elsewhere: a name that the template
// does not have, a path variable that was forgotten, and a value that would climb out of its directory are errors.

/// A URI template with its variables, as a verb takes it; made by `.template(…)`.
public struct ExpandedTemplate: URLConvertible {
    private let text: Result<String, MartletError>

    init(_ template: String, _ variables: Parameters) {
        text = Result { () throws(MartletError) in
            let template = try URITemplate(template)
            try Self.checkNames(of: template, variables)
            let text = try template.expand(variables)
            try Self.checkSegments(of: text, template)
            return text
        }
    }

    /// The expanded text read as an absolute URL, or joined onto `base`.
    public func requestURL(
        relativeTo base: RequestURL?, allowingOtherOrigin: Bool
    ) throws(MartletError) -> RequestURL {
        try text.get().requestURL(relativeTo: base, allowingOtherOrigin: allowingOtherOrigin)
    }

    private static func checkNames(of template: URITemplate, _ variables: Parameters) throws(MartletError) {
        let known = Set(template.variableNames)
        let given = Set(variables.items.map(\.name))
        for name in variables.items.map(\.name) where !known.contains(name) {
            throw MartletError(
                .invalidURL, "The URI template has no variable `\(name)`; use query(…) or a body for what is not in it."
            )
        }
        for case .expression(let kind, let wanted) in template.parts where kind == .simple || kind == .reserved {
            for variable in wanted where !given.contains(variable.name) {
                throw MartletError(
                    .invalidURL,
                    "No value was given for `\(variable.name)` of the URI template; give nil to leave it out.")
            }
        }
    }

    /// A dot segment goes up a directory when the URL is resolved; one that a value made was not meant.
    private static func checkSegments(of text: String, _ template: URITemplate) throws(MartletError) {
        let literals = template.parts.map { part in
            if case .literal(let literal) = part { literal } else { "x" }
        }.joined()
        guard dotSegments(of: text) > dotSegments(of: literals) else { return }
        throw MartletError(
            .invalidURL, "A value makes `.` or `..` a segment of the path, which would lead the request elsewhere.")
    }

    private static func dotSegments(of text: String) -> Int {
        text.prefix { $0 != "?" && $0 != "#" }.split(separator: "/").count {
            let segment = $0.replacing("%2e", with: ".").replacing("%2E", with: ".")
            return segment == "." || segment == ".."
        }
    }
}

extension URLConvertible where Self == ExpandedTemplate {
    /// A URI template (RFC 6570) with its variables: `.template("/users/{id}", ["id": 7])`.
    ///
    /// Thrown when the call is awaited, as `invalidURL`: a variable that the template does not have, one that it needs in the path
    /// and was not given, and a value that would become a `.` or `..` segment.
    public static func template(_ template: String, _ variables: Parameters) -> ExpandedTemplate {
        ExpandedTemplate(template, variables)
    }
}
