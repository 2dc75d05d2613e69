// The ways to start a server. Each has a scoped form, which stops the server whatever happens.

extension TestServer {
    /// Starts a server whose connections are driven by a closure; each connection is closed when its closure returns.
    ///
    /// Throws `TestServerError` when no socket can be bound. What the closure throws is kept in `failures`.
    public nonisolated(nonsending) static func start(
        _ options: Options = Options(), handler: @escaping @Sendable (TestConnection) async throws -> Void
    ) async throws(TestServerError) -> TestServer {
        let core = try ServerCore(options, handler: handler)
        try core.start()
        return TestServer(core: core)
    }

    /// Starts a server that plays one script for each connection, in the order of acceptance; the last one is repeated.
    ///
    /// A connection is closed at the end of its script. Throws `TestServerError` when no socket can be bound.
    public nonisolated(nonsending) static func start(
        _ options: Options = Options(), scripts: [[TestStep]]
    ) async throws(TestServerError) -> TestServer {
        try await start(options) { connection in
            guard !scripts.isEmpty else { return }
            try await connection.run(scripts[min(connection.number, scripts.count - 1)])
        }
    }

    /// Starts a server that plays the same script on every connection. Throws `TestServerError` when no socket can be
    /// bound.
    public nonisolated(nonsending) static func start(
        _ options: Options = Options(), script: [TestStep]
    ) async throws(TestServerError) -> TestServer {
        try await start(options, scripts: [script])
    }

    /// Starts a server that answers every request with what the closure returns, and keeps connections open as
    /// HTTP/1.1 does.
    ///
    /// "100 Continue" is sent to clients that ask for it. A closure that throws answers with 500 and its error as text.
    /// Throws `TestServerError` when no socket can be bound.
    public nonisolated(nonsending) static func serve(
        _ options: Options = Options(), answer: @escaping @Sendable (RecordedRequest) async throws -> TestResponse
    ) async throws(TestServerError) -> TestServer {
        try await start(options) { connection in try await connection.serve(answer) }
    }

    /// What answers one route.
    public typealias Route = @Sendable (RecordedRequest) async throws -> TestResponse

    /// Starts a server with an answer for each route, and 404 for everything else.
    ///
    /// A route is a path, for every method, or a method and a path: `"/users/1"`, `"POST /users"`. The query does not
    /// count.
    public nonisolated(nonsending) static func start(
        _ options: Options = Options(), routes: [String: Route]
    ) async throws(TestServerError) -> TestServer {
        try await serve(options) { request in
            guard let route = routes["\(request.method) \(request.path)"] ?? routes[request.path] else {
                return .text("No route for \(request.method) \(request.path)", status: 404)
            }
            return try await route(request)
        }
    }
}

extension TestServer {
    /// Starts a server, runs `body` with it, and stops it, whether `body` returns or throws.
    ///
    /// ```swift
    /// try await TestServer.withServer { connection in
    ///     _ = try await connection.readRequest()
    ///     connection.reset()
    /// } run: { server in
    ///     await #expect(throws: MartletError.self) { try await client.get(server.url("/")).data() }
    /// }
    /// ```
    @discardableResult
    public nonisolated(nonsending) static func withServer<Result>(
        _ options: Options = Options(), _ handler: @escaping @Sendable (TestConnection) async throws -> Void,
        run body: nonisolated(nonsending) (TestServer) async throws -> Result
    ) async throws -> Result {
        try await start(options, handler: handler).run(body)
    }

    /// Starts a server that plays scripts, runs `body` with it, and stops it, whether `body` returns or throws.
    @discardableResult
    public nonisolated(nonsending) static func withServer<Result>(
        _ options: Options = Options(), scripts: [[TestStep]],
        run body: nonisolated(nonsending) (TestServer) async throws -> Result
    ) async throws -> Result {
        try await start(options, scripts: scripts).run(body)
    }

    /// Starts a server that plays one script on every connection, runs `body` with it, and stops it.
    @discardableResult
    public nonisolated(nonsending) static func withServer<Result>(
        _ options: Options = Options(), script: [TestStep],
        run body: nonisolated(nonsending) (TestServer) async throws -> Result
    ) async throws -> Result {
        try await start(options, script: script).run(body)
    }

    /// Starts a server that answers requests, runs `body` with it, and stops it, whether `body` returns or throws.
    @discardableResult
    public nonisolated(nonsending) static func serving<Result>(
        _ options: Options = Options(), answer: @escaping @Sendable (RecordedRequest) async throws -> TestResponse,
        run body: nonisolated(nonsending) (TestServer) async throws -> Result
    ) async throws -> Result {
        try await serve(options, answer: answer).run(body)
    }

    private nonisolated(nonsending) func run<Result>(
        _ body: nonisolated(nonsending) (TestServer) async throws -> Result
    ) async throws -> Result {
        do {
            let result = try await body(self)
            await stop()
            return result
        } catch {
            await stop()
            throw error
        }
    }
}
