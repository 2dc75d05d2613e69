// How far a transfer is, as one value for both directions. In one attempt it never goes back, and the fraction never exceeds one,
// whatever the peer declares.

import Foundation

/// How far a transfer is.
public struct TransferProgress: Sendable, Hashable {
    /// Bytes of the body as they are on the wire; those of a download that was there already are counted.
    public internal(set) var wireBytes = 0
    /// Bytes of the body without its content codings: those that a download has written, or that an upload was given.
    public internal(set) var decodedBytes = 0
    /// How many bytes there are on the wire in all; nil when it is not known.
    public internal(set) var total: Int?
    /// Bytes a second on the wire, smoothed over some seconds; zero before there is something to tell by.
    public internal(set) var bytesPerSecond = 0.0

    /// Makes a progress, by default one of nothing.
    public init(wireBytes: Int = 0, decodedBytes: Int = 0, total: Int? = nil, bytesPerSecond: Double = 0) {
        self.wireBytes = wireBytes
        self.decodedBytes = decodedBytes
        self.total = total
        self.bytesPerSecond = bytesPerSecond
    }

    /// The share that is done, from 0 to 1; nil when the total is not known.
    public var fractionCompleted: Double? {
        guard let total else { return nil }
        return total > 0 ? min(max(Double(wireBytes) / Double(total), 0), 1) : 1
    }

    /// How long the rest takes at the present rate; nil when the total is not known or nothing moves.
    public var estimatedTimeRemaining: Duration? {
        guard let total, bytesPerSecond > 0 else { return nil }
        let seconds = Double(max(total - wireBytes, 0)) / bytesPerSecond
        return seconds < 1e9 ? .seconds(seconds) : nil
    }
}

/// Makes progress of counts and times: a pure value.
struct ProgressMeter: Sendable {
    // Three seconds: long enough to be read, short enough to follow a connection that changes.
    private static let timeConstant = 3.0
    private static let shortest: Int64 = 10_000_000

    private(set) var progress: TransferProgress
    private var sampledAt: MonotonicInstant
    private var sampledBytes: Int
    private var weighted = 0.0
    private var weight = 0.0

    /// Begins an attempt with the bytes that are there already.
    init(from start: Int = 0, total: Int?, at now: MonotonicInstant) {
        progress = TransferProgress(wireBytes: start, decodedBytes: start, total: total)
        sampledAt = now
        sampledBytes = start
    }

    /// Says how many bytes there are in all.
    mutating func setTotal(_ total: Int) { progress.total = total }

    /// Notes how many bytes there are now; fewer than before are not.
    mutating func note(wire: Int, decoded: Int, at now: MonotonicInstant) {
        progress.wireBytes = max(progress.wireBytes, wire)
        progress.decodedBytes = max(progress.decodedBytes, decoded)
        let elapsed = now.nanoseconds(since: sampledAt)
        guard elapsed >= Self.shortest else { return }
        let seconds = Double(elapsed) / 1e9
        let share = 1 - exp(-seconds / Self.timeConstant)
        weighted += share * (Double(progress.wireBytes - sampledBytes) / seconds - weighted)
        weight += share * (1 - weight)
        progress.bytesPerSecond = weight > 0 ? weighted / weight : 0
        sampledAt = now
        sampledBytes = progress.wireBytes
    }
}
