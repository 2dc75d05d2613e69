// What the engine tells of an exchange that is observed. Each is called where the state changes, on the loop's thread.

#if SocketTransport && os(Linux)

extension Exchange {
    /// A connection carries the request.
    func observeConnection() {
        guard let observation else { return }
        observation.emit(
            .connections,
            metrics.reusedConnection
                ? .reusedConnection(ClientEvent.Connection(metrics)) : .connected(ClientEvent.Connection(metrics)))
    }

    /// Bytes of the request have gone, head first.
    func observeSending(_ count: Int, isMore: Bool) {
        guard let observation else { return }
        if untoldHead > 0 {
            untoldHead -= min(count, untoldHead)
            guard untoldHead == 0 else { return }
            observation.emit(.transfers, .requestHeadSent)
            guard metrics.bodyBytesSent > 0 else { return }
        }
        // The engine may hear of a frame when later ones have gone too.
        if isMore, metrics.bodyBytesSent < body.length ?? .max {
            observation.emit(.transfers, .requestBodyProgress(sent: metrics.bodyBytesSent))
        }
    }

    /// The whole request has gone.
    func observeSent() {
        if case .empty = body.content { return }
        observation?.emit(.transfers, .requestBodySent(metrics.bodyBytesSent))
    }

    /// Bytes of the response body have come, and it goes on.
    func observeProgress(_ part: HTTP1Connection.BodyPart) {
        guard !part.range.isEmpty else { return }
        observation?.emit(.transfers, .bodyProgress(received: metrics.bodyBytesReceived))
    }

    /// The response is complete.
    func observeCompletion() {
        guard let observation, let head = responseHead else { return }
        observation.emit(.transfers, .bodyEnded(received: metrics.bodyBytesReceived))
        observation.end(.completed(head.status), metrics)
        observation.call.transferEnded(id, .completed(head.status), received: metrics.bodyBytesReceived)
    }

    /// The exchange has failed, or nobody wants the rest.
    func observeFailure(_ error: any Error) {
        guard let observation else { return }
        let outcome = isAbandoned ? .abandoned : ClientEvent.Outcome(error)
        observation.end(outcome, metrics)
        observation.call.transferEnded(id, outcome, received: metrics.bodyBytesReceived)
    }
}
#endif
