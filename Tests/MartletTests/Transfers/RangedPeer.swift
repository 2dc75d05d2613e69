// A server of one file that knows ranges, written from RFC 9110, section 14, and every way in which such a server breaks off or lies.

import Foundation
import MartletTesting

@testable import Martlet

/// What the server does about its requests, one after the other.
final class RangedPeer: Sendable {
    /// How one answer ends.
    enum Cut: Sendable, Equatable {
        case never
        /// After so many bytes of its body.
        case close(after: Int)
        case reset(after: Int)
        /// After so many bytes of its body, for good.
        case stall(after: Int)
    }

    /// One answer.
    struct Answer: Sendable {
        var cut = Cut.never
        var content: Data?
        var etag: String?? = .none
        var ignoresRange = false
        var contentRange: String?
        var status: Int?
        var fields: [String: String] = [:]
    }

    let content: Data
    let etag: String?
    private let answers: Lock<[Answer]>
    private let asked = Lock<[Int]>([])
    /// Fires at each stall.
    let hasStalled = TestSignal()

    init(_ content: Data, etag: String? = "\"v1\"", _ answers: [Answer] = []) {
        self.content = content
        self.etag = etag
        self.answers = Lock(answers)
    }

    var peer: Peer { .connection { try await self.serve($0) } }

    /// Where each request began; -1 for one without a range.
    var starts: [Int] { asked.withLock { $0 } }

    func then(_ answer: Answer) { answers.withLock { $0.append(answer) } }

    private func serve(_ connection: TestConnection) async throws {
        while let request = try? await connection.readRequest() {
            let answer = answers.withLock { $0.isEmpty ? Answer() : $0.removeFirst() }
            try await serve(request, answer, connection)
        }
    }

    private func serve(_ request: RecordedRequest, _ answer: Answer, _ connection: TestConnection) async throws {
        let content = answer.content ?? content
        let etag: String? = if case .some(let other) = answer.etag { other } else { etag }
        let range = request["Range"].flatMap { Self.range($0, content.count) }
        let start = request["Range"] == nil ? -1 : range?.lowerBound ?? content.count
        asked.withLock { $0.append(start) }
        var fields = ["Accept-Ranges": "bytes", "Content-Type": "application/octet-stream"]
        fields["ETag"] = etag
        var (status, body) = (200, content)
        let isSame = request["If-Range"].map { $0 == etag } ?? true
        if request["Range"] != nil, isSame, !answer.ignoresRange {
            if let range {
                status = 206
                fields["Content-Range"] = "bytes \(range.lowerBound)-\(range.upperBound - 1)/\(content.count)"
                body = content[range]
            } else {
                status = 416
                fields["Content-Range"] = "bytes */\(content.count)"
                body = Data()
            }
        }
        if let contentRange = answer.contentRange { fields["Content-Range"] = contentRange }
        if let forced = answer.status { status = forced }
        fields["Content-Length"] = "\(body.count)"
        fields.merge(answer.fields) { $1 }
        let head = fields.sorted { $0.key < $1.key }.map { "\($0.key): \($0.value)\r\n" }.joined()
        try await connection.send("HTTP/1.1 \(status) Some\r\n\(head)\r\n")
        switch answer.cut {
        case .never: try await connection.send(Data(body))
        case .close(let count):
            try await connection.send(Data(body.prefix(count)))
            connection.close()
        case .reset(let count):
            try await connection.send(Data(body.prefix(count)))
            connection.reset()
        case .stall(let count):
            try await connection.send(Data(body.prefix(count)))
            hasStalled.fire()
            try await connection.waitForClose()
        }
    }

    /// The range of `bytes=N-` or `bytes=N-M`; nil when nothing of it is there.
    private static func range(_ field: String, _ count: Int) -> Range<Int>? {
        guard field.hasPrefix("bytes=") else { return nil }
        let ends = field.dropFirst(6).split(separator: "-", omittingEmptySubsequences: false)
        guard ends.count == 2, let first = Int(ends[0]), first < count else { return nil }
        return first..<min(Int(ends[1]).map { $0 + 1 } ?? count, count)
    }

    /// Bytes that do not repeat.
    static func bytes(_ count: Int, seed: UInt64 = 7) -> Data {
        var random = SeededRandom(seed: seed)
        var words = [UInt64]()
        words.reserveCapacity(count / 8 + 1)
        for _ in 0..<(count / 8 + 1) { words.append(random.next()) }
        return words.withUnsafeBytes { Data($0.prefix(count)) }
    }
}

/// A folder that goes with its test.
final class DownloadFolder: Sendable {
    let path: String

    init() {
        path = FileManager.default.temporaryDirectory.appending(path: "martlet-download-\(UUID().uuidString)").path
        try? FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true)
    }

    deinit { try? FileManager.default.removeItem(atPath: path) }

    func path(_ name: String) -> String { "\(path)/\(name)" }

    var names: [String] { ((try? FileManager.default.contentsOfDirectory(atPath: path)) ?? []).sorted() }

    func write(_ data: Data, _ name: String) { _ = FileManager.default.createFile(atPath: path(name), contents: data) }

    func read(_ name: String) -> Data? { FileManager.default.contents(atPath: path(name)) }
}

extension ClientConfiguration {
    /// Waits that take no time.
    mutating func waitNot() { clock = TestClock(advancesItself: true) }
}
