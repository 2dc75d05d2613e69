// The client: a value over shared parts. Copies and scoped clients share connections; the last copy that goes away, and the
// last call under way, take the connections with them. `shutdown()` does it at a moment of the caller's choice.

/// Sends requests.
///
/// ```swift
/// let client = MartletClient(baseURL: "https://api.example.com")
/// let user: User = try await client.get("/users/1").json()
/// ```
public struct MartletClient: Sendable {
    /// The version of this library.
    public static let version = "0.1.0"

    let core: ClientCore
    let prepared: PreparedDefaults

    /// What calls start from.
    var defaults: CallDefaults { prepared.defaults }

    /// Makes a client, with the default configuration unless another is given; nothing is connected before its first
    /// call.
    public init(_ configuration: ClientConfiguration = ClientConfiguration()) {
        core = ClientCore(configuration)
        prepared = PreparedDefaults(configuration.defaults)
    }

    /// Makes a client whose relative URLs are joined onto `baseURL`. What is wrong with it is thrown by each call.
    public init(baseURL: some URLConvertible) {
        var configuration = ClientConfiguration()
        configuration.defaults.baseURL = baseURL
        self.init(configuration)
    }

    /// Makes a client that sends through `transport`, with relative URLs joined onto `baseURL` if there is one; for
    /// tests.
    public init(transport: any Transport, baseURL: (any URLConvertible)? = nil) {
        var configuration = ClientConfiguration()
        configuration.transport = transport
        configuration.defaults.baseURL = baseURL
        self.init(configuration)
    }

    private init(core: ClientCore, defaults: CallDefaults) {
        self.core = core
        prepared = PreparedDefaults(defaults)
    }

    /// A client with other defaults that shares this one's connections and its shutdown.
    public func scoped(_ change: (inout CallDefaults) -> Void) -> MartletClient {
        var defaults = defaults
        change(&defaults)
        return MartletClient(core: core, defaults: defaults)
    }

    /// Gives `body` a client and shuts it down when `body` ends, however it ends. Throws what `body` throws.
    public nonisolated(nonsending) static func withClient<Result>(
        _ configuration: ClientConfiguration = ClientConfiguration(),
        _ body: nonisolated(nonsending) (MartletClient) async throws -> Result
    ) async rethrows -> Result {
        let client = MartletClient(configuration)
        do {
            let result = try await body(client)
            await client.shutdown()
            return result
        } catch {
            await client.shutdown()
            throw error
        }
    }

    /// Ends the client and all that share its connections. Calls under way have `drain` to finish (none by default) and
    /// then fail with `clientShutDown`, as new ones do at once. Returns when the connections are closed.
    public nonisolated(nonsending) func shutdown(drain: Duration = .zero) async {
        await core.shutdown(drain: drain)
    }

    /// The executor that carries the connections. Code that prefers it saves two thread changes a call:
    ///
    /// ```swift
    /// let user: User = try await withTaskExecutorPreference(client.executor) {
    ///     try await client.get("/users/1").json()
    /// }
    /// ```
    ///
    /// For code that never blocks: while it runs, the connections of its event loop wait.
    public var executor: any TaskExecutor { core.executor }
}
