// Clients that come and go, each after one call: dropped by a task of the default executor, on their own loop, with a task
// that prefers their executor and outlives them, and in the middle of a body.

import Martlet

enum DropClients {
    @Sendable static func run(_ settings: Settings) async throws -> [String: Int] {
        let count = try settings.number("count")
        let url = try settings.text("url")
        for index in 0..<max(40, count / 10) { try await one(index, url) }
        let before = try await ProcessFigures.whenThreadsHaveLeft()
        for index in 0..<count { try await one(index, url) }
        let after = try await ProcessFigures.whenThreadsHaveLeft(descriptors: before.descriptors)
        return [
            "descriptors": after.descriptors - before.descriptors, "threads": after.threads - before.threads,
            "ownThreads": after.ownThreads, "residentKiB": after.residentKiB,
            "grownKiB": after.residentKiB - before.residentKiB,
        ]
    }

    private static func one(_ index: Int, _ url: String) async throws {
        switch index % 5 {
        case 0: try await dropHere(url)
        case 1: try await dropOnLoop(url)
        case 2: try await dropBeforeItsTask(url)
        case 3: try await dropMidBody(url)
        default: _ = MartletClient().executor
        }
    }

    private static func dropHere(_ url: String) async throws {
        _ = try await MartletClient(baseURL: url).get("ok").data()
    }

    private static func dropOnLoop(_ url: String) async throws {
        let box = Box(MartletClient(baseURL: url))
        guard let executor = box.executor else { return }
        try await Task(executorPreference: executor) {
            try await callAndDrop(box)
            // Goes on where the client has just ended.
            for _ in 0..<5 { await Task.yield() }
        }.value
    }

    private static func callAndDrop(_ box: Box) async throws {
        guard let client = box.take() else { return }
        _ = try await client.get("ok").data()
    }

    private static func dropBeforeItsTask(_ url: String) async throws {
        let box = Box(MartletClient(baseURL: url))
        guard let executor = box.executor else { return }
        let (gate, opener) = AsyncStream.makeStream(of: Void.self)
        let late = Task(executorPreference: executor) {
            var steps = 0
            for await _ in gate { steps += 1 }
            for _ in 0..<5 { await Task.yield() }
            return steps
        }
        try await callAndDrop(box)
        opener.yield()
        await Task.yield()
        opener.finish()
        guard await late.value == 1 else { throw Lost() }
    }

    private static func dropMidBody(_ url: String) async throws {
        let response = try await MartletClient(baseURL: url).get("body").stream()
        var iterator = response.body.makeAsyncIterator()
        guard try await iterator.next() != nil else { throw Lost() }
    }

    private struct Lost: Error {}

    /// Holds a client until it is taken, so that its last owner is who took it.
    private final class Box: Sendable {
        private let client: Lock<MartletClient?>

        init(_ client: MartletClient) { self.client = Lock(client) }

        var executor: (any TaskExecutor)? { client.withLock { $0?.executor } }

        func take() -> MartletClient? {
            client.withLock { client in
                defer { client = nil }
                return client
            }
        }
    }
}
