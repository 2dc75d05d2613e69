// What went wrong, as the server tells it (RFC 9457). A member of the wrong kind counts as not there (section 3.1), so that any JSON object is
// a problem, if an empty one.

public import Foundation

/// The content of an `application/problem+json` response.
///
/// ```swift
/// do {
///     try await client.post("/orders", json: order).discard()
/// } catch let error as MartletError {
///     if let problem = error.problem { print(problem.title ?? "", problem.extensions["balance"]?.int ?? 0) }
/// }
/// ```
public struct ProblemDetails: Sendable, Hashable {
    /// The media type of problems.
    public static let mediaType = "application/problem+json"

    /// What kind of problem it is: a URI, absolute or relative to the request's; `about:blank` when the status says it all.
    public var type: String
    /// The kind in a few words, the same for each problem of the kind.
    public var title: String?
    /// The status, as the server that made the problem set it.
    public var status: HTTPStatus?
    /// What is wrong this time, for people.
    public var detail: String?
    /// Which problem it is: a URI, absolute or relative to the request's.
    public var instance: String?
    /// All other members.
    public var extensions: [String: JSONValue]

    /// Makes a problem.
    public init(
        type: String = "about:blank", title: String? = nil, status: HTTPStatus? = nil, detail: String? = nil,
        instance: String? = nil, extensions: [String: JSONValue] = [:]
    ) {
        self.type = type
        self.title = title
        self.status = status
        self.detail = detail
        self.instance = instance
        self.extensions = extensions
    }
}

extension ProblemDetails: Codable {
    /// Reads a problem. Throws when the document is no object.
    public init(from decoder: any Decoder) throws {
        guard case .object(var members) = try JSONValue(from: decoder) else {
            throw DecodingError.typeMismatch(
                [String: JSONValue].self,
                DecodingError.Context(codingPath: decoder.codingPath, debugDescription: "A problem is an object."))
        }
        func text(_ name: String) -> String? { members.removeValue(forKey: name)?.string }
        self.init(
            type: text("type") ?? "about:blank", title: text("title"),
            status: members.removeValue(forKey: "status")?.int.map { HTTPStatus($0) }, detail: text("detail"),
            instance: text("instance"))
        extensions = members
    }

    /// Writes the problem.
    public func encode(to encoder: any Encoder) throws {
        var members = extensions
        members["type"] = .string(type)
        members["title"] = title.map { .string($0) }
        members["status"] = status.map { .integer(Int64($0.code)) }
        members["detail"] = detail.map { .string($0) }
        members["instance"] = instance.map { .string($0) }
        try JSONValue.object(members).encode(to: encoder)
    }
}

extension MartletError.FailedResponse {
    /// The problem that the response tells of; nil when it is not `application/problem+json`, or above 16 KiB.
    public var problem: ProblemDetails? {
        guard head.headers.mediaType?.essence == ProblemDetails.mediaType else { return nil }
        return try? decode(ProblemDetails.self)
    }

    /// Decodes the body as JSON, whatever its media type.
    ///
    /// - Throws: what the decoder throws, as it does for a body above 16 KiB, of which only the beginning is here.
    public func decode<Value: Decodable>(
        _ type: Value.Type = Value.self, decoder: JSONDecoder = JSONDecoder()
    ) throws -> Value {
        try decoder.decode(type, from: bodyPrefix)
    }
}

extension MartletError {
    /// The problem that the refused response tells of; nil when it is not `application/problem+json`.
    public var problem: ProblemDetails? { response?.problem }
}

extension ProblemDetails {
    /// Title and detail for an error's sentence: one line, and not a long one, for the text is the server's.
    var summary: String? {
        let text = [title, detail].compactMap { $0 }.filter { !$0.isEmpty }.joined(separator: ": ")
        guard !text.isEmpty else { return nil }
        let line = text.unicodeScalars.map { scalar -> Character in
            switch scalar.properties.generalCategory {
            case .control, .format, .lineSeparator, .paragraphSeparator: " "
            default: Character(scalar)
            }
        }
        return line.count > 200 ? String(line.prefix(200)) + "…" : String(line)
    }
}
