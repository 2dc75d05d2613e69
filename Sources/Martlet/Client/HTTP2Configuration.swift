// How HTTP/2 connections are used. The defaults let one stream fill a gigabit over 8 ms, and all of a connection over 64.

/// Settings of HTTP/2 connections.
public struct HTTP2Configuration: Sendable, Hashable {
    /// The most calls on one connection at a time; 100 by default. The server's own limit holds where it is lower.
    public var streamsPerConnection: Int

    /// How many bytes a server may send on one stream ahead of its consumer; 1 MiB by default. A body that is not read holds as many.
    public var streamWindow: Int

    /// How many bytes a server may send on one connection ahead of the client's reading them off it; 8 MiB by default.
    public var connectionWindow: Int

    /// After how much silence of the server a PING is sent while calls are under way; nil, the default, sends none.
    public var keepAliveInterval: Duration?

    /// How long the answer to a PING may take before the connection counts as lost; 15 s by default.
    public var keepAliveTimeout: Duration

    /// After how much silence an idle connection has to answer a PING before it carries a call again; 15 s by default.
    public var livenessCheckAfter: Duration

    /// Makes settings; a limit below one is taken as one, windows lie between 64 KiB and 1 GiB.
    public init(
        streamsPerConnection: Int = 100, streamWindow: Int = 1 << 20, connectionWindow: Int = 8 << 20,
        keepAliveInterval: Duration? = nil, keepAliveTimeout: Duration = .seconds(15),
        livenessCheckAfter: Duration = .seconds(15)
    ) {
        self.streamsPerConnection = max(1, streamsPerConnection)
        self.streamWindow = min(max(streamWindow, 65_535), 1 << 30)
        self.connectionWindow = min(max(connectionWindow, 65_535), 1 << 30)
        self.keepAliveInterval = keepAliveInterval
        self.keepAliveTimeout = keepAliveTimeout
        self.livenessCheckAfter = livenessCheckAfter
    }
}
