#if os(Linux)
// What is left of a server after it has stopped: nothing. Counted in a child process, where nobody else opens anything.

import Foundation
import MartletTesting
import Testing

@Suite struct TestServerLedgerTests {
    @Test func leavesNoDescriptorAndNoThreadBehind() async {
        await #expect(processExitsWith: .success) {
            // The first round makes what the runtime keeps for itself: its pool of threads, its own descriptors.
            try await connectAndStop(connections: 20)
            let before = (Ledger.descriptors, Ledger.threads)
            try await connectAndStop(connections: 400)
            #expect(Ledger.descriptors == before.0)
            #expect(Ledger.threads <= before.1)
        }
    }

    @Test func leavesNothingBehindWhenClientsReset() async {
        await #expect(processExitsWith: .success) {
            try await connectAndStop(connections: 20, resets: true)
            let before = (Ledger.descriptors, Ledger.threads)
            try await connectAndStop(connections: 400, resets: true)
            #expect(Ledger.descriptors == before.0)
            #expect(Ledger.threads <= before.1)
        }
    }

    @Test func joinsThreadsWhileItRuns() async {
        await #expect(processExitsWith: .success) {
            let server = try await TestServer.serve { _ in .text("hi") }
            let before = Ledger.threads
            for _ in 0..<2000 {
                let client = try RawClient(port: server.port)
                try client.send("GET / HTTP/1.1\r\nConnection: close\r\n\r\n")
                _ = client.endOfReading()
            }
            try await server.waitUntilAllClosed()
            #expect(Ledger.threads < before + 20)
            await server.stop()
        }
    }
}

private func connectAndStop(connections: Int, resets: Bool = false) async throws {
    let server = try await TestServer.serve { _ in .text("hi") }
    var clients: [RawClient] = []
    for number in 0..<connections {
        let client = try RawClient(port: server.port)
        if number.isMultiple(of: 2) { try client.send("GET / HTTP/1.1\r\nHost: x\r\n\r\n") }
        if resets { client.resetOnClose() } else { clients.append(client) }
    }
    try await server.waitForConnections(connections)
    await server.stop()
    #expect(server.openConnectionCount == 0)
}

private enum Ledger {
    static var descriptors: Int { count("/proc/self/fd") }
    static var threads: Int { count("/proc/self/task") }

    private static func count(_ path: String) -> Int {
        (try? FileManager.default.contentsOfDirectory(atPath: path).count) ?? -1
    }
}
#endif
