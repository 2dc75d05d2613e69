import Foundation
import Martlet
import MartletTesting
import Testing

private struct Bar { func show(_ fraction: Double?) {} }

@Suite struct TransfersSnippets {
    private static let image = Data("an image".utf8)
    private let bar = Bar()

    /// A server of one file that knows no ranges, a client for it, and a folder.
    private nonisolated(nonsending) func serving(
        _ code: nonisolated(nonsending) (MartletClient, String, String) async throws -> Void
    ) async throws {
        try await TestServer.serving { _ in
            .data(Self.image, headers: ["ETag": "\"1\""])
        } run: { server in
            let folder = TemporaryFolder()
            let client = MartletClient(baseURL: server.baseURL)
            let path = folder.url.path
            try await code(client, path, "\(path)/other.iso")
            await client.shutdown()
        }
    }

    @Test func fileIsDownloaded() async throws {
        try await serving { client, folder, path in
            let printed = try await Printed.lines {
                // snippet
                let file = try await client.get("/big.iso").download(to: .directory(folder))
                print(file.path, file.byteCount)
                // end
            }
            #expect(printed == ["\(folder)/big.iso 8"])
            // snippet
            let place = DownloadDestination.file(path).replacing().creatingDirectories()
            try await client.get("/big.iso").download(to: place)
            // end
            #expect(FileManager.default.contents(atPath: path) == Self.image)
        }
    }

    @Test func stepsAreTold() async throws {
        try await serving { client, _, path in
            let printed = try await Printed.lines {
                // snippet
                for try await step in client.download("/big.iso", to: path) {
                    switch step {
                    case .started(let head): print("started", head.status.code)
                    case .resumed(let offset): print("goes on behind", offset)
                    case .progress(let progress): bar.show(progress.fractionCompleted)
                    case .finished(let file): print("finished", file.byteCount)
                    }
                }
                // end
            }
            #expect(printed == ["started 200", "finished 8"])
        }
    }

    /// What the comments show writes to places of a reader's own: it is compiled and not run.
    @Test func comments() {
        _ = { @Sendable (client: MartletClient, film: String) in
            // snippet
            for try await step in client.download("/big.iso", to: "big.iso") {
                if case .progress(let progress) = step { print(progress.wireBytes) }
            }
            // end
            // snippet
            for try await step in client.put("/films/1", file: film).uploading() {
                if case .progress(let progress) = step { print(progress.wireBytes) }
            }
            // end
        }
        _ = { @Sendable (client: MartletClient) async throws in
            // snippet
            let file = try await client.get("/big.iso").download(to: "/data/big.iso")
            // end
            print(file)
        }
        _ = { @Sendable (client: MartletClient) async throws in
            // snippet
            let file = try await client.get("/big.iso").download(to: .directory("/data"))
            // end
            print(file)
        }
    }

    @Test func tokenIsUsed() async throws {
        try await serving { client, _, path in
            // snippet
            let download = client.download("/big.iso?signature=1", to: path)
            if let token = try await download.resumeToken() {
                let again = client.download("/big.iso?signature=2", to: path)
                try await again.resuming(from: token).file()
            }
            // end
            // snippet
            let token = try await download.resumeToken()
            // end
            #expect(token == nil)
        }
    }

    @Test func segmentsAreFetched() async throws {
        try await serving { client, _, path in
            // snippet
            try await client.download("/big.iso", to: path).parallel(4).file()
            // end
            #expect(FileManager.default.contents(atPath: path) == Self.image)
        }
    }

    @Test func bandwidthIsLimited() async throws {
        try await serving { client, _, path in
            // snippet
            let limit = BandwidthLimit(bytesPerSecond: 1 << 20)
            try await client.download("/big.iso", to: path).bandwidth(limit).file()
            // end
            #expect(FileManager.default.contents(atPath: path) == Self.image)
        }
    }

    @Test func digestIsLookedAt() async throws {
        try await serving { client, _, path in
            let digest = String(repeating: "0", count: 64)
            let error = await #expect(throws: MartletError.self) {
                // snippet
                try await client.download("/big.iso", to: path).verifying(sha256: digest).file()
                // end
            }
            #expect(error?.code == .digestMismatch)
        }
    }

    @Test func uploadTellsHowFarItIs() async throws {
        try await serving { client, folder, path in
            try Self.image.write(to: URL(filePath: path))
            let photo = path
            let printed = try await Printed.lines {
                // snippet
                for try await step in client.put("/users/1/photo", file: photo).uploading() {
                    switch step {
                    case .progress(let progress): bar.show(progress.fractionCompleted)
                    case .finished(let response): print(response.status.code)
                    }
                }
                // end
            }
            #expect(printed == ["200"])
        }
    }
}
