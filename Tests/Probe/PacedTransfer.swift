// Transfers of which one side is slow: memory must not follow the faster one.

import Foundation
import Martlet
import Synchronization

enum PacedTransfer {
    /// Takes an endless body at a given pace for a given time.
    @Sendable static func consume(_ settings: Settings) async throws -> [String: Int] {
        let seconds = try settings.number("seconds")
        let pace = try settings.number("bytesPerSecond")
        let client = MartletClient()
        let response = try await client.get(try settings.text("url")).stream()
        let watch = MemoryWatch()
        let start = ContinuousClock.now
        var taken = 0
        for try await chunk in response.body {
            taken += chunk.count
            // The pace is what is under test.
            try await Task.sleep(until: start + .seconds(Double(taken) / Double(pace)), clock: .continuous)
            if start.duration(to: .now) >= .seconds(seconds) { break }
        }
        let peak = await watch.stop()
        await client.shutdown()
        return ["bytes": taken, "peakKiB": peak]
    }

    /// Sends an endless body for a given time to a peer that takes it slowly.
    @Sendable static func upload(_ settings: Settings) async throws -> [String: Int] {
        let seconds = try settings.number("seconds")
        let url = try settings.text("url")
        let given = Counter()
        let client = MartletClient()
        let watch = MemoryWatch()
        let call = Task {
            try await client.post(url).body(.stream { Chunks(limit: .max, given: given) }).data()
        }
        try await Task.sleep(for: .seconds(seconds))
        let peak = await watch.stop()
        call.cancel()
        _ = await call.result
        await client.shutdown()
        return ["bytes": given.value, "peakKiB": peak]
    }
}

/// Whole transfers of a given size, at full speed.
enum WholeTransfer {
    @Sendable static func download(_ settings: Settings) async throws -> [String: Int] {
        try await measured { client in
            var taken = 0
            for try await chunk in client.get(try settings.text("url")).chunks { taken += chunk.count }
            return taken
        }
    }

    /// Downloads to a file, and goes on with what an earlier run has left.
    @Sendable static func downloadFile(_ settings: Settings) async throws -> [String: Int] {
        let (url, path) = (try settings.text("url"), try settings.text("file"))
        let fetched = Counter()
        var figures = try await measured { client in
            let file = try await client.get(url).download(to: path)
            fetched.add(file.bytesFetched)
            return file.byteCount
        }
        figures["fetched"] = fetched.value
        return figures
    }

    @Sendable static func upload(_ settings: Settings) async throws -> [String: Int] {
        let size = try settings.number("bytes")
        return try await measured { client in
            let given = Counter()
            let body = RequestBody.stream { Chunks(limit: size, given: given) }
            _ = try await client.post(try settings.text("url")).body(body).data()
            return given.value
        }
    }

    @Sendable static func uploadFile(_ settings: Settings) async throws -> [String: Int] {
        try await measured { client in
            let url = try settings.text("url")
            let response = try await client.post(url, file: try settings.text("file")).response()
            return response.metrics.bodyBytesSent
        }
    }

    /// Sends a form of two fields and a file, twice: each time it must be the same bytes.
    @Sendable static func uploadForm(_ settings: Settings) async throws -> [String: Int] {
        try await measured { client in
            let form: MultipartForm = ["first": "1", "file": .file(try settings.text("file")), "last": "2"]
            var sent = 0
            for _ in 0..<2 {
                let response = try await client.post(try settings.text("url"), multipart: form).response()
                sent += response.metrics.bodyBytesSent
            }
            return sent
        }
    }

    private static func measured(_ transfer: (MartletClient) async throws -> Int) async throws -> [String: Int] {
        let client = MartletClient()
        let start = ContinuousClock.now
        let bytes = try await transfer(client)
        let time = start.duration(to: .now)
        await client.shutdown()
        return [
            "bytes": bytes, "peakKiB": ProcessFigures.peakResidentKiB,
            "milliseconds": Int(time / .milliseconds(1)),
        ]
    }
}

/// Chunks of 64 KiB up to a limit, each with memory of its own, counted as they are given.
struct Chunks: AsyncSequence, Sendable {
    let limit: Int
    let given: Counter

    func makeAsyncIterator() -> Iterator { Iterator(left: limit, given: given) }

    struct Iterator: AsyncIteratorProtocol {
        var left: Int
        let given: Counter

        mutating func next() async throws -> Data? {
            guard left > 0 else { return nil }
            let count = Swift.min(left, 64 << 10)
            left -= count
            given.add(count)
            return Data(repeating: 0x61, count: count)
        }
    }
}

final class Counter: Sendable {
    private let count = Atomic(0)

    var value: Int { count.load(ordering: .relaxed) }

    /// The value before.
    @discardableResult
    func add(_ amount: Int) -> Int { count.wrappingAdd(amount, ordering: .relaxed).oldValue }
}
