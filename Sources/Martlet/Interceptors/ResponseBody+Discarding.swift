// What becomes of a body that nobody wants (of a redirect, of an attempt that is repeated): it is taken off the wire so that
// its connection can carry what comes next, unless that would take long. Bounds: 64 KiB and 1 s.

extension ResponseBody {
    private static let discardLimit = 64 << 10
    private static let discardTime = Duration.seconds(1)

    /// Takes the rest of the body off the wire, or ends the transfer when that takes too many bytes or too long.
    nonisolated(nonsending) func discard(_ head: ResponseHead) async {
        if isAtHand || (head.headers.contentLength ?? 0) > Self.discardLimit { return end() }
        await withTaskGroup(of: Void.self) { group in
            group.addTask { await self.drain() }
            group.addTask { try? await ContinuousClock().sleep(for: Self.discardTime) }
            await group.next()
            group.cancelAll()
        }
    }

    /// Ends the transfer, if it has not ended.
    private func end() { _ = makeAsyncIterator() }

    nonisolated(nonsending) private func drain() async {
        var left = Self.discardLimit
        var iterator = makeAsyncIterator()
        while left >= 0, let chunk = try? await iterator.next() { left -= chunk.count }
    }
}
