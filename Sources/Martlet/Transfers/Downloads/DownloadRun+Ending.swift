// How a download ends, or goes on: after a lost connection, after an answer that is of no use, and with the whole file.

import Foundation

extension DownloadRun {
    /// Forgets what is there, because it is no part of what the server has now.
    nonisolated(nonsending) func startAgain(because reason: String) async throws {
        done = 0
        record.spans = nil
        restarts += 1
        guard restarts <= Self.mostRestarts else {
            throw MartletError(.invalidResponse, "The download cannot be gone on with: \(reason).")
        }
    }

    // MARK: Losses

    /// Waits before the next attempt, or throws the error when there is to be none.
    nonisolated(nonsending) func pause(after error: MartletError, asked: Duration? = nil) async throws {
        try Task.checkCancellation()
        try countLoss(error)
        let policy = call.layers.policies.retry
        let isOn = policy.isOn
        let now = core.clock.now()
        if isOn, let budget = policy.budget {
            guard core.retryAccounts.withdraw(budget, for: url.origin, at: now) else { throw error }
        }
        var wait = core.backoff(isOn ? policy.backoff : .exponential(), after: max(vainLosses, 1))
        if let asked { wait = max(wait, min(asked, policy.maximumRetryAfter)) }
        if let deadline, core.time.now() + wait >= deadline { throw error }
        if question() == nil { done = 0 }
        if wait > .zero { try await core.clock.sleep(wait) }
    }

    private func countLoss(_ error: MartletError) throws(MartletError) {
        interruptions += 1
        if done > furthest {
            furthest = done
            vainLosses = 0
        } else {
            vainLosses += 1
        }
        let most = download.settings.maximumInterruptions
        guard most > 0, vainLosses <= most else { throw error }
    }

    // MARK: The end

    nonisolated(nonsending) func finish(_ response: Response<ResponseBody>) async throws -> DownloadedFile {
        guard let file else { throw MartletError(.other, "The download has no file.") }
        try Task.checkCancellation()
        for digest in expected { try await verify(file, digest) }
        let (path, replaces) = (finalPath, download.destination.replacesExisting)
        try await FileIO.run { try file.commit(as: path, replacing: replaces) }
        self.file = nil
        meter.setTotal(done)
        tellProgress(isLast: true)
        let finished = DownloadedFile(
            path: path, byteCount: done, bytesFetched: fetched, interruptions: interruptions, head: response.head,
            url: response.url)
        report(.finished(finished), false)
        return finished
    }

    /// In steps, so that a download that is cancelled need not wait for all of a large file.
    nonisolated(nonsending) private func verify(_ file: PartialFile, _ expected: MessageDigest.Expected) async throws {
        let value = try await file.digest(expected.algorithm, upTo: done)
        guard value != expected.value else { return }
        await discard(file)
        throw MartletError(
            .digestMismatch, "The file that came has another \(expected.algorithm.rawValue) digest than it should have."
        )
    }

    nonisolated(nonsending) private func discard(_ file: PartialFile) async {
        self.file = nil
        _ = try? await FileIO.run { file.remove() }
    }
}

extension Error {
    /// Whether the file and not the connection is to blame.
    var isOfTheFile: Bool {
        guard let error = self as? MartletError else { return false }
        return [.fileUnwritable, .diskFull, .fileExists].contains(error.code)
    }
}

extension MartletError {
    /// Whether a connection was lost, so that the rest may come over another one.
    var isLossOfConnection: Bool { code == .bodyTruncated || RetryPolicy.passes(code) }
}
