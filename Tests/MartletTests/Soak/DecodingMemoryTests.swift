// A decoded body costs what it is long, on top of what the decoder takes: nothing of it is held twice.

import Foundation
import MartletTesting
import Testing

extension SoakTests {
    @Suite(.enabled(if: !Soak.isThreadSanitized, "the sanitizer's own memory would be measured"))
    struct DecodingMemory {
        @Test func decodingAddsTheBodysOwnSizeAtMost() async throws {
            // 100 MiB in the heavy form.
            let blocks = Soak.isOn ? 1_600 : 160
            let server = try await SoakPeer.start()
            let fetched = try await ProbeProcess.run(
                "decode", ["url": server.url("/strings/\(blocks)")], within: .seconds(120))
            await server.stop()
            let bare = try await ProbeProcess.run("decode-bare", ["blocks": blocks], within: .seconds(120))
            #expect(fetched["strings"] == blocks + 1)
            #expect(bare["strings"] == blocks + 1)
            let most = bare["peakKiB", default: 0] + blocks * 64
            #expect(fetched["peakKiB", default: .max] <= most)
            Soak.tell("decoded", ["bareKiB": bare["peakKiB"] ?? 0, "fetchedKiB": fetched["peakKiB"] ?? 0])
        }
    }
}
