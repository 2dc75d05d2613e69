// A download that was not started: a value, as a call is. Iterated it tells its steps; `file()` gives the file alone. Defaults: it goes
// on by itself after a lost connection, up to five times in a row without anything new, and keeps what came where it can be resumed.

import Foundation

extension MartletClient {
    /// A download of a URL to a file.
    ///
    /// ```swift
    /// for try await step in client.download("/big.iso", to: "big.iso") {
    ///     if case .progress(let progress) = step { print(progress.wireBytes) }
    /// }
    /// ```
    public func download(_ url: some URLConvertible, to destination: DownloadDestination) -> Download {
        get(url).downloading(to: destination)
    }

    /// A download of a URL to the file at a path.
    public func download(_ url: some URLConvertible, to path: String) -> Download {
        download(url, to: .file(path))
    }
}

extension Call {
    /// The call as a download to a file, which begins when it is iterated or its ``Download/file()`` is awaited.
    ///
    /// No compression is asked for: parts of a file are parts of its bytes. A call that is no GET is not resumed.
    public func downloading(to destination: DownloadDestination) -> Download {
        Download(call: self, destination: destination)
    }

    /// Sends the call and puts its body into a file, which has its name once it is complete.
    ///
    /// ```swift
    /// let file = try await client.get("/big.iso").download(to: .directory("/data"))
    /// ```
    ///
    /// - Throws: what ``Download/file()`` throws.
    @discardableResult
    public nonisolated(nonsending) func download(to destination: DownloadDestination) async throws -> DownloadedFile {
        try await downloading(to: destination).file()
    }

    /// Sends the call and puts its body into the file at a path, which is there once it is complete.
    ///
    /// - Throws: what ``Download/file()`` throws.
    @discardableResult
    public nonisolated(nonsending) func download(to path: String) async throws -> DownloadedFile {
        try await download(to: .file(path))
    }
}

/// A download to a file, as the sequence of its steps.
///
/// Each iteration downloads anew. The download does not wait for the loop; of its progress the newest is given. Leaving the loop ends
/// it. Until it is complete its bytes are in a file whose name ends in `.partial`, with a record beside it; a download of the same URL
/// to the same place goes on from there, when the server can tell that its file is still the same.
public struct Download: AsyncSequence, Sendable {
    /// A step.
    public typealias Element = DownloadStep

    /// What may be set.
    struct Settings: Sendable {
        var maximumInterruptions = 5
        var progressInterval = Duration.milliseconds(100)
        var keepsPartial = true
        var sha256: String?
        var verifiesDigest = false
        var token: ResumeToken?
        var bandwidth: BandwidthLimit?
        var segments = 1
        var minimumSegmentBytes = 8 << 20
        /// How many bytes are written at once, and lost at most when the process is killed.
        var writeSize: Int { bandwidth?.portion ?? 256 << 10 }
    }

    let call: Call
    let destination: DownloadDestination
    var settings = Settings()

    init(call: Call, destination: DownloadDestination) {
        self.call = call
        self.destination = destination
    }

    /// How often in a row the connection may be lost without anything new having come; 5 by default, 0 ends the download with the
    /// first loss. The waits are those of the call's retry policy, or of ``RetryBackoff/exponential(base:factor:cap:)``.
    public func interruptions(upTo count: Int) -> Download { with { $0.maximumInterruptions = Swift.max(count, 0) } }

    /// The least time between two steps of progress; 100 ms by default.
    public func progress(every interval: Duration) -> Download { with { $0.progressInterval = interval } }

    /// Has the file's SHA-256 looked at before it gets its name; 64 hexadecimal digits.
    public func verifying(sha256: String) -> Download { with { $0.sha256 = sha256 } }

    /// Has the file compared with the digest that the server states in `Repr-Digest` or `Content-Digest` (RFC 9530), where it states
    /// one in SHA-256 or SHA-512.
    public func verifyingDigest() -> Download { with { $0.verifiesDigest = true } }

    /// Goes on with what a token names, whatever the URL was then.
    public func resuming(from token: ResumeToken) -> Download { with { $0.token = token } }

    /// Fetches the file over several connections at once, for servers that limit each of them.
    ///
    /// Done when the server tells the length, says that it knows ranges, and has a validator that tells bytes apart; else, and when it
    /// turns out otherwise, the file comes in one stream.
    ///
    /// - Parameters:
    ///   - segments: how many at a time; 4 by default.
    ///   - minimumSegmentBytes: the least size of one; 8 MiB by default.
    public func parallel(_ segments: Int = 4, minimumSegmentBytes: Int = 8 << 20) -> Download {
        with {
            $0.segments = Swift.max(segments, 1)
            $0.minimumSegmentBytes = Swift.max(minimumSegmentBytes, 1)
        }
    }

    /// Holds the download to a number of bytes a second; without a limit by default. The server is held up by TCP.
    public func bandwidth(_ limit: BandwidthLimit) -> Download { with { $0.bandwidth = limit } }

    /// Whether what came is kept when the download fails or is cancelled, so that it can be resumed; true by default.
    public func keepingPartial(_ keeps: Bool) -> Download { with { $0.keepsPartial = keeps } }

    /// Downloads, and returns the file when it has its name.
    ///
    /// - Throws: `fileExists`, `fileUnwritable` and `diskFull` for what the file system refuses; `unacceptableStatus` and what else
    ///   the call does not accept, before anything is written; `digestMismatch`; what the transfer failed with at last.
    @discardableResult
    public nonisolated(nonsending) func file() async throws -> DownloadedFile {
        try await DownloadRun(self) { _, _ in }.run()
    }

    /// What this download could be taken up with now; nil when nothing of it is there, or nothing that can be resumed.
    ///
    /// - Throws: `invalidURL`.
    public nonisolated(nonsending) func resumeToken() async throws -> ResumeToken? {
        let path = destination.partialPath(for: try call.makeRequest().url)
        return try await FileIO.run {
            guard let record = PartialFile.record(of: path), record.validators.ifRange != nil,
                let attributes = try? FileManager.default.attributesOfItem(atPath: path),
                let size = (attributes[.size] as? NSNumber)?.intValue
            else { return nil }
            return ResumeToken(partialPath: path, record, size: size)
        }
    }

    /// Starts an iteration; the download begins at its first step.
    public func makeAsyncIterator() -> Iterator { Iterator(download: self) }

    /// The iterator. Dropping it ends the download.
    public struct Iterator: AsyncIteratorProtocol {
        private let download: Download
        private var running: RunningTransfer<DownloadStep>?

        init(download: Download) { self.download = download }

        /// The next step; nil behind the last. Throws what ``Download/file()`` throws.
        public nonisolated(nonsending) mutating func next() async throws -> DownloadStep? {
            try Task.checkCancellation()
            let running = running ?? start()
            self.running = running
            return try await running.next()
        }

        /// The next step, on the caller's actor.
        public mutating func next(isolation actor: isolated (any Actor)?) async throws -> DownloadStep? {
            try await next()
        }

        private func start() -> RunningTransfer<DownloadStep> {
            let download = download
            return RunningTransfer { steps in
                _ = try await DownloadRun(download) { steps.post($0, isProgress: $1) }.run()
            }
        }
    }

    private func with(_ change: (inout Settings) -> Void) -> Download {
        var copy = self
        change(&copy.settings)
        return copy
    }
}
