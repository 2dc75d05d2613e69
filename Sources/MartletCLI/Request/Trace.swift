// What `--verbose` tells on standard error: the head sent (`>`), the heads received (`<`), and at the end the connection and
// where the time went (`*`).

import Martlet

/// Tells what happens to a request.
struct Trace: Sendable {
    private let diagnostics: Diagnostics
    private let informational = Lock<[ResponseHead]>([])
    private let start = ContinuousClock.now

    init(_ diagnostics: Diagnostics) { self.diagnostics = diagnostics }

    /// Tells the head that is about to be sent; gives the call that keeps informational responses for later.
    func sending(_ call: Call, _ upload: Upload) throws -> Call {
        diagnostics.trace(">", SentHead.lines(try call.makeRequest(), upload) + [""])
        return call.onInformational { [informational] head in informational.withLock { $0.append(head) } }
    }

    func received(_ head: ResponseHead) {
        for earlier in informational.withLock({ $0 }) { diagnostics.trace("<", earlier.lines + [""]) }
        diagnostics.trace("<", head.lines + [""])
    }

    func ended(_ metrics: ResponseMetrics, after output: StandardOutput) {
        diagnostics.beginLine(after: output)
        diagnostics.trace("*", Self.connection(metrics) + Self.phases(metrics))
    }

    func failed(_ error: any Error, after output: StandardOutput) {
        diagnostics.beginLine(after: output)
        let phase = (error as? MartletError)?.phase.map { " (\($0))" } ?? ""
        diagnostics.trace("*", ["Failed after \(Figures.time(.now - start))\(phase)"])
    }

    private static func connection(_ metrics: ResponseMetrics) -> [String] {
        guard let remote = metrics.remoteAddress else { return [] }
        let parts = [metrics.protocolName, metrics.tlsVersion ?? ""].filter { !$0.isEmpty }
        return ["Connected to " + ([remote] + parts).joined(separator: ", ")]
    }

    /// The phases, which follow each other and add up to the total.
    static func phases(_ metrics: ResponseMetrics) -> [String] {
        let connected = metrics.queued + metrics.lookUp + metrics.connect + metrics.tls
        // A response that comes before the request has all gone leaves nothing to wait for.
        let sent = min(max(metrics.requestSent ?? connected, connected), max(metrics.firstByte, connected))
        let total = max(metrics.total ?? metrics.firstByte, metrics.firstByte)
        let phases: [(String, Duration)] = [
            ("Waiting for a connection", metrics.queued), ("Name look-up", metrics.lookUp),
            ("Connecting", metrics.connect), ("TLS handshake", metrics.tls), ("Sending", sent - connected),
            ("Waiting for the response", max(metrics.firstByte - sent, .zero)),
            ("Receiving", max(total - max(metrics.firstByte, sent), .zero)),
        ]
        let lines = phases.filter { $0.1 > .zero }.map { line($0.0, $0.1) }
        return lines + [
            line("Total", total)
                + "   \(Figures.bytes(metrics.bytesSent)) sent, \(Figures.bytes(metrics.bytesReceived)) received"
        ]
    }

    private static func line(_ name: String, _ time: Duration) -> String {
        name.padded(to: 26) + Figures.time(time).rightAligned(to: 8)
    }
}
