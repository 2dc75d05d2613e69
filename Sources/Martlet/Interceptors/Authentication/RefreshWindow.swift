// How often a credential may be refreshed. A server that refuses every credential, or hands out ones that have expired, would
// otherwise be asked for a new one with each call.

/// A bound on the refreshes of a credential: by default at most 5 within 30 s.
///
/// One more ends the call that asked for it with `excessiveRefresh`.
public struct RefreshWindow: Sendable, Hashable {
    /// The most refreshes that may begin within the interval.
    public var maximum: Int
    /// The interval, up to now.
    public var interval: Duration

    /// Makes a window.
    public init(maximum: Int = 5, interval: Duration = .seconds(30)) {
        self.maximum = maximum
        self.interval = interval
    }
}
