// How many connections a client keeps, and for how long.

/// Limits of the connection pool.
public struct PoolLimits: Sendable, Hashable {
    /// The most connections to one origin, those being made included; 128 by default. Calls beyond wait in order.
    public var connectionsPerHost: Int

    /// The most connections in all; 4,096 by default. An idle one of another origin makes way.
    public var connections: Int

    /// How long an idle connection is kept; 60 s by default.
    public var idleLifetime: Duration

    /// For how long a connection takes calls after it was made; nil, the default, sets no limit. Calls on it finish.
    public var maximumAge: Duration?

    /// Makes limits, with the defaults of each; counts below one are taken as one.
    public init(
        connectionsPerHost: Int = 128, connections: Int = 4_096, idleLifetime: Duration = .seconds(60),
        maximumAge: Duration? = nil
    ) {
        self.connectionsPerHost = max(1, connectionsPerHost)
        self.connections = max(1, connections)
        self.idleLifetime = idleLifetime
        self.maximumAge = maximumAge
    }
}
