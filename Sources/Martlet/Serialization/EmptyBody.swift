// What an empty body is worth. No bytes are fine as `Data` and as text; where a value is expected they are an error, unless the type has
// a value for them and the rule lets them pass (RFC 9110: sections 9.3.2, 15.3.5 and 15.3.6 leave the content out).

/// When an empty body is one, and not a lack of one.
public struct EmptyBodyRule: Sendable, Hashable {
    /// The methods whose responses may be empty.
    public var methods: Set<HTTPMethod>
    /// The statuses that may come without a body.
    public var statuses: Set<HTTPStatus>
    private var takesAll = false

    /// Makes a rule; HEAD, 204 and 205 unless told otherwise.
    public init(methods: Set<HTTPMethod> = [.head], statuses: Set<HTTPStatus> = [.noContent, .resetContent]) {
        self.methods = methods
        self.statuses = statuses
    }

    /// After HEAD, and with 204 and 205: there HTTP leaves the content out.
    public static let standard = EmptyBodyRule()

    /// Never.
    public static let never = EmptyBodyRule(methods: [], statuses: [])

    /// Always.
    public static let always: EmptyBodyRule = {
        var rule = never
        rule.takesAll = true
        return rule
    }()

    /// Whether the response to a method may be empty.
    public func allows(_ status: HTTPStatus, to method: HTTPMethod) -> Bool {
        takesAll || statuses.contains(status) || methods.contains(method)
    }
}

/// A type that has a value for a response without a body.
///
/// ```swift
/// struct Changes: Decodable, EmptyBodyRepresentable {
///     static var emptyBody: Changes { Changes(ids: []) }
///     var ids: [Int]
/// }
/// ```
public protocol EmptyBodyRepresentable {
    /// The value for no body.
    static var emptyBody: Self { get }
}

extension Optional: EmptyBodyRepresentable {
    /// Nil.
    public static var emptyBody: Wrapped? { nil }
}

extension JSONValue: EmptyBodyRepresentable {
    /// `null`.
    public static var emptyBody: JSONValue { .null }
}

/// The value of a response that is to have no body: `let _: EmptyBody = try await client.delete(…).json()`.
public struct EmptyBody: Codable, Sendable, Hashable, EmptyBodyRepresentable {
    /// The one value.
    public static var emptyBody: EmptyBody { EmptyBody() }

    /// Makes the value.
    public init() {}
}

extension EmptyBodyRule {
    /// The value of an empty body. An optional is asked for by who expects none, whatever the status.
    ///
    /// - Throws: `emptyBody`, which says what can be done.
    func value<Value>(
        as type: Value.Type, _ status: HTTPStatus, to method: HTTPMethod
    ) throws(MartletError) -> Value {
        let empty = (type as? any EmptyBodyRepresentable.Type)?.emptyBody as? Value
        if let empty, allows(status, to: method) || (type as? any OptionalType.Type) != nil { return empty }
        var message = "The \(status) response to \(method) has no body, where \(type) was expected."
        message +=
            empty == nil
            ? " Expect an optional if there may be none, or use discard()."
            : " Allow it with an EmptyBodyRule, or expect an optional."
        throw MartletError(.emptyBody, message)
    }
}

/// Tells that a type is an optional.
private protocol OptionalType {}
extension Optional: OptionalType {}
