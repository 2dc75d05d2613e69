// Calls cancelled at random moments, in every stage: afterwards nothing is left of any of them.

import Martlet
import MartletTesting
import Testing

#if SocketTransport && os(Linux)
extension SoakTests {
    @Suite struct Cancellation {
        @Test func callsCancelledAtRandomMomentsLeaveNothing() async throws {
            let count = Soak.count(3_000, soak: 100_000)
            let plain = try await SoakPeer.start()
            let hung = try await SoakPeer.startHung()
            let silentTLS = try await SoakPeer.startSilentTLS()
            let figures = try await ProbeProcess.run(
                "cancel-calls",
                [
                    "count": count, "seed": 20_240_229, "plain": plain.url("/"), "plainPort": plain.port,
                    "hung": hung.url("/"), "silentTLS": silentTLS.url("/"),
                ], within: .seconds(Soak.isOn ? 1_200 : 120))
            for server in [plain, hung, silentTLS] { await server.stop() }

            for phase in MartletError.Phase.allCases {
                #expect(figures["phase." + phase.rawValue, default: 0] > 0, "no call was cancelled in \(phase)")
            }
            #expect(figures["failed"] == 0)
            #expect(figures["cancelled", default: 0] + figures["completed", default: 0] == count)
            #expect(figures["exchanges"] == 0)
            #expect(figures["waiters"] == 0)
            #expect(figures["left"] == 0)
            #expect(figures["ownThreads"] == 0)
            #expect(figures["descriptors"] == 0)
            if !Soak.isThreadSanitized {
                let growth = figures["lateKiB", default: .max] - figures["earlyKiB", default: 0]
                #expect(growth < 8 << 10, "resident memory grew by \(growth) KiB")
            }
            Soak.tell("cancelled calls", figures)
        }
    }
}
#endif
