// One event of an event stream (WHATWG HTML, section 9.2.6, "Interpreting an event stream").

/// A server-sent event.
public struct ServerSentEvent: Sendable, Hashable {
    /// What kind of event it is; `message` unless the server names another.
    public var type: String
    /// The data; its lines are joined by LF.
    public var data: String
    /// The id of the last event that had one, this one included; empty before the first.
    public var id: String
    /// How long the server has asked clients to wait before they connect again; nil as long as it has not.
    public var retry: Duration?

    /// Makes an event, by default a `message` without an id.
    public init(type: String = "message", data: String, id: String = "", retry: Duration? = nil) {
        self.type = type
        self.data = data
        self.id = id
        self.retry = retry
    }
}
