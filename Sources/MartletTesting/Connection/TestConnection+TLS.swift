// The TLS side of a connection: the handshake comes before the script.

extension TestConnection {
    /// Shakes hands when the server speaks TLS. Runs before the script does.
    func shakeHands() throws(TestServerError) {
        #if SocketTransport && os(Linux)
        guard let context = core.tls else { return }
        try socket.using(.reading) { () throws(TestServerError) in
            if context.options.handshake == .never {
                try socket.waitForPeerToFinish()
                throw .peerClosed
            }
            let stream = try TLSStream(context)
            try stream.shakeHands(over: socket)
            socket.tls = stream
            tlsSession = stream.session
        }
        #endif
    }

    var serverName: String? {
        #if SocketTransport && os(Linux)
        tlsSession?.serverName
        #else
        nil
        #endif
    }
}
