// Whether the peer is there and behaves: SETTINGS in time, PINGs answered (RFC 9113, section 6.7), no floods of frames without
// use (section 10.5). Keep-alive is off by default; a connection that was silent for long is asked before it carries a call.

#if SocketTransport && os(Linux)

/// Counts frames without use: control frames, empty DATA, frames for streams that are gone.
struct FloodMeter {
    /// More than this in one span end the connection.
    static let limit = 10_000
    static let span = Duration.seconds(10)

    private var count = 0
    private var since = MonotonicInstant(nanoseconds: .min)

    /// Counts one more; true when there are too many.
    mutating func add(at now: MonotonicInstant) -> Bool {
        if since + Self.span < now {
            since = now
            count = 0
        }
        count += 1
        return count > Self.limit
    }

    /// A stream was reset, on which the peer may already have sent a few more frames.
    mutating func forgive() { count -= 4 }
}

extension HTTP2Connection: RegistryTimerTarget {
    /// Starts to wait for the peer's SETTINGS.
    func awaitSettings(in registry: isolated SessionRegistry) {
        registry.schedule(timer, at: registry.now + Self.settingsTimeout, for: self)
    }

    func settingsArrived(in registry: isolated SessionRegistry) {
        guard !isRetired else { return }
        if isEstablished {
            registry.pool.setLimit(streamLimit, of: id, key)
            return registry.serve(key)
        }
        isEstablished = true
        registry.cancel(timer)
        armKeepAlive(in: registry)
        registry.established(self)
    }

    func idleFrameArrived(in registry: isolated SessionRegistry) {
        guard flood.add(at: registry.now) else { return }
        session.goAway(.enhanceYourCalm)
        lose(isBroken: false, in: registry) { _ in
            HTTP1Parser.invalid("The server floods the connection with frames that have no use.")
        }
    }

    // MARK: PING

    /// Asks an idle connection whether it is alive; those who want it wait for the answer.
    func probe(in registry: isolated SessionRegistry) {
        guard pongDeadline == nil else { return }
        sendPing(within: min(settings.keepAliveTimeout, .seconds(2)), in: registry)
    }

    private func sendPing(within limit: Duration, in registry: isolated SessionRegistry) {
        session.ping()
        pongDeadline = registry.now + limit
        registry.schedule(timer, at: registry.now + limit, for: self)
        setNeedsFlush(in: registry)
    }

    func pongArrived(in registry: isolated SessionRegistry) {
        guard pongDeadline != nil else { return idleFrameArrived(in: registry) }
        pongDeadline = nil
        registry.cancel(timer)
        let waiting = unproven
        unproven = []
        for stream in waiting {
            if let exchange = stream.exchange { start(stream, exchange, in: registry) }
        }
        armKeepAlive(in: registry)
    }

    /// Sets the timer of the next PING while calls are under way.
    func armKeepAlive(in registry: isolated SessionRegistry) {
        guard let interval = settings.keepAliveInterval, isEstablished, pongDeadline == nil, !timer.isScheduled,
            !isClosed, !session.streams.isEmpty
        else { return }
        registry.schedule(timer, at: lastReceived + interval, for: self)
    }

    func timerFired(in registry: isolated SessionRegistry) {
        if !isEstablished {
            return lose(in: registry) { lost($0, "The server did not begin to speak HTTP/2") }
        }
        if let pongDeadline {
            guard pongDeadline <= registry.now else { return registry.schedule(timer, at: pongDeadline, for: self) }
            return lose(in: registry) { lost($0, "The server did not answer a PING in time") }
        }
        guard let interval = settings.keepAliveInterval, !session.streams.isEmpty else { return }
        if lastReceived + interval <= registry.now {
            sendPing(within: settings.keepAliveTimeout, in: registry)
        } else {
            registry.schedule(timer, at: lastReceived + interval, for: self)
        }
    }
}
#endif
