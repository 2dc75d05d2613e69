// What the registry needs of whatever carries an exchange: an HTTP/1.1 connection, or one stream of an HTTP/2 connection.

#if SocketTransport && os(Linux)

/// What carries an exchange.
protocol ExchangeCarrier: AnyObject {
    /// Whether the exchange waits for its own caller and not for the peer.
    var isHeldBackByCaller: Bool { get }

    /// The consumer has made room.
    func resumeReading(in registry: isolated SessionRegistry)

    /// The pump has given something.
    func uploadReady(in registry: isolated SessionRegistry)

    /// The exchange ends before it is complete: nothing more of it is sent or taken.
    func abort(in registry: isolated SessionRegistry)
}

extension HTTP1Connection: ExchangeCarrier {
    func abort(in registry: isolated SessionRegistry) { close(in: registry) }
}
#endif
