// Clients that come and go: nothing of the process grows with their number.

import MartletTesting
import Testing

extension SoakTests {
    @Suite struct ClientLifetime {
        @Test func droppedClientsLeaveNoThreadDescriptorOrMemory() async throws {
            let count = Soak.count(300, soak: 10_000)
            let server = try await SoakPeer.start()
            let figures = try await ProbeProcess.run(
                "drop-clients", ["count": count, "url": server.url("/")], within: .seconds(Soak.isOn ? 600 : 60))
            await server.stop()
            #expect(figures["ownThreads"] == 0)
            #expect(figures["descriptors"] == 0)
            #expect(figures["threads", default: .max] <= 2)
            if !Soak.isThreadSanitized {
                #expect(figures["grownKiB", default: .max] < 4 << 10)
            }
            Soak.tell("dropped clients", figures)
        }
    }
}
