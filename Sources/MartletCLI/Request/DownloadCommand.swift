// `download`: a file that is there once it is complete, and goes on where an earlier run has ended.

import Martlet

/// Downloads to a file.
struct DownloadCommand: Sendable {
    let plan: RequestPlan
    let console: Console

    /// Throws when the file is not complete.
    func run() async throws {
        let configuration = try plan.configuration(console.diagnostics)
        let progress = Progress()
        var live = LiveProgress(diagnostics: console.diagnostics, progress: progress)
        live.line.isUnicode = console.diagnostics.terminal.isUnicode
        try await MartletClient.withClient(configuration) { client in
            var download = plan.call(client, Upload()).downloading(to: destination)
            if let segments = plan.segments { download = download.parallel(segments) }
            if let sha256 = plan.sha256 { download = download.verifying(sha256: sha256) }
            let steps = download
            try await live.during {
                var shown = 0
                for try await case .progress(let now) in steps {
                    progress.expect(now.total)
                    progress.add(now.wireBytes - shown)
                    shown = now.wireBytes
                }
            }
        }
    }

    private var destination: DownloadDestination {
        if case .file(let path) = plan.output { .file(path).replacing() } else { .directory(".") }
    }
}
