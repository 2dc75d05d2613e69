// What happened so far, and waiting for it to happen. All waits are bounded: 30 s unless told otherwise.

extension TestServer {
    /// Every request whose head has been read, in the order in which they came, over all connections.
    public var requests: [RecordedRequest] { core.records.value.requests }

    /// The number of connections accepted so far.
    public var connectionCount: Int { core.records.value.accepted }

    /// The number of connections that are open on the server's side.
    public var openConnectionCount: Int { core.records.value.open }

    /// The errors that ended handlers and scripts, in their order. A client that breaks off leaves
    /// `TestServerError.peerClosed` or `.peerReset` here; what follows from stopping the server does not count.
    public var failures: [any Error] { core.records.value.failures }

    /// Waits until at least `count` request heads have been read, and returns the requests.
    ///
    /// Throws `TestServerError.timedOut` after `timeout`, 30 s by default.
    @discardableResult
    public nonisolated(nonsending) func waitForRequests(
        _ count: Int, timeout: Duration = .seconds(30)
    ) async throws(TestServerError) -> [RecordedRequest] {
        try await core.records.wait(for: "\(count) requests", timeout: timeout) { $0.requests.count >= count }
        return requests
    }

    /// Waits until at least `count` requests have been read to the end of their bodies, and returns these.
    ///
    /// Throws `TestServerError.timedOut` after `timeout`, 30 s by default.
    @discardableResult
    public nonisolated(nonsending) func waitForCompleteRequests(
        _ count: Int, timeout: Duration = .seconds(30)
    ) async throws(TestServerError) -> [RecordedRequest] {
        try await core.records.wait(for: "\(count) complete requests", timeout: timeout) {
            $0.requests.count { $0.isComplete } >= count
        }
        return requests.filter(\.isComplete)
    }

    /// Waits until at least `count` connections have been accepted.
    ///
    /// Throws `TestServerError.timedOut` after `timeout`, 30 s by default.
    public nonisolated(nonsending) func waitForConnections(
        _ count: Int, timeout: Duration = .seconds(30)
    ) async throws(TestServerError) {
        try await core.records.wait(for: "\(count) connections", timeout: timeout) { $0.accepted >= count }
    }

    /// Waits until no connection is open on the server's side.
    ///
    /// The server closes its side when it notices that the client has closed: while it reads, serves or stalls. Throws
    /// `TestServerError.timedOut` after `timeout`, 30 s by default.
    public nonisolated(nonsending) func waitUntilAllClosed(
        timeout: Duration = .seconds(30)
    ) async throws(TestServerError) {
        try await core.records.wait(for: "all connections to be closed", timeout: timeout) { $0.open == 0 }
    }
}
