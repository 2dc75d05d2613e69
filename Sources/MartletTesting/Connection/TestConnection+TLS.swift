// The TLS side of a connection: the handshake comes before the script, or where the script says.

extension TestConnection {
    /// Shakes hands when the server speaks TLS. Runs before the script does.
    func shakeHands() throws(TestServerError) {
        #if SocketTransport && os(Linux)
        guard let context = core.tls else { return }
        try shakeHands(context)
        #endif
    }

    #if SocketTransport && os(Linux)
    /// Shakes hands over TLS on a connection that was plain until now, as the target behind a proxy does after CONNECT.
    ///
    /// Throws `TestServerError.tls` when the client refuses.
    public func startTLS(_ tls: TestTLS) throws(TestServerError) {
        try shakeHands(try TLSServerContext(tls))
    }

    private func shakeHands(_ context: TLSServerContext) throws(TestServerError) {
        try socket.using(.reading) { () throws(TestServerError) in
            if context.options.handshake == .never {
                try socket.waitForPeerToFinish()
                throw .peerClosed
            }
            // A client may have sent its first bytes of TLS together with its last plain ones.
            let stream = try TLSStream(context, received: unread.take(.max))
            try stream.shakeHands(over: socket)
            socket.tls = stream
            tlsSession = stream.session
        }
    }
    #endif

    var serverName: String? {
        #if SocketTransport && os(Linux)
        tlsSession?.serverName
        #else
        nil
        #endif
    }
}
