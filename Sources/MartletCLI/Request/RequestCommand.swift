// `get`, `post` and the others: one request, its body passed on as it arrives.

import Martlet

/// Sends a request and prints its response.
struct RequestCommand: Sendable {
    let plan: RequestPlan
    let console: Console

    private var diagnostics: Diagnostics { console.diagnostics }

    /// Throws when the response is not complete, or its status is 400 or more.
    func run() async throws {
        let configuration = try plan.configuration(diagnostics)
        let upload = try await Upload.open(plan)
        var file: OutputFile?
        if case .file(let path) = plan.output { file = try OutputFile(path, temporaryFiles: console.temporaryFiles) }
        do {
            try await MartletClient.withClient(configuration) { client in
                try await transfer(plan.call(client, upload), upload, to: file)
            }
        } catch {
            file?.discard()
            throw error
        }
        try file?.commit()
    }

    private func transfer(_ call: Call, _ upload: Upload, to file: OutputFile?) async throws {
        let trace = plan.isVerbose ? Trace(diagnostics) : nil
        do {
            let deadline = plan.timeout.map(Deadline.init(after:))
            let call = try trace?.sending(call, upload) ?? call
            let response = try await uploading(upload).during { try await call.stream() }
            trace?.received(response.head)
            try await receive(response, to: file, until: deadline)
            trace?.ended(response.body.metrics ?? response.metrics, after: console.output)
            try judge(response)
        } catch {
            if !(error is ToolFailure), !(error is ReaderGone) { trace?.failed(error, after: console.output) }
            throw error
        }
    }

    private func uploading(_ upload: Upload) -> LiveProgress {
        var live = LiveProgress(diagnostics: diagnostics, progress: upload.progress)
        live.line.isUnicode = diagnostics.terminal.isUnicode
        live.line.waiting = "Waiting for the response"
        live.keepsLine = upload.isStreamed
        return live
    }

    private func receive(
        _ response: Response<ResponseBody>, to file: OutputFile?, until deadline: Deadline?
    ) async throws {
        let isRefused = response.status.code >= 400
        if plan.includesHead || plan.method == .head || plan.method == .options {
            try write(response.head, until: deadline)
        }
        // An error page is not what the file was meant for.
        if isRefused, file != nil { return }
        let progress = Progress()
        progress.expect(response.headers.contentLength)
        var live = LiveProgress(diagnostics: diagnostics, progress: progress)
        live.line.isUnicode = diagnostics.terminal.isUnicode
        live.isShown = !plan.streams && (file != nil || !hasReader)
        var printer = BodyPrinter(plan, response.head, to: file, console, until: deadline)
        do {
            let isShown = try await live.during {
                do {
                    for try await chunk in response.body {
                        guard try printer.write(chunk) else { return false }
                        progress.add(chunk.count)
                    }
                } catch {
                    try printer.end()
                    throw error
                }
                try printer.end()
                return true
            }
            if !isShown {
                diagnostics.note(
                    "The body is not text and is not shown on a terminal; write it to a file with --output FILE.")
            }
        } catch is ReaderGone where isRefused {}
    }

    /// Whether somebody reads standard output while it is written, on whose screen a bar would be drawn.
    private var hasReader: Bool {
        console.terminal.isTerminal || fileStatus(console.output.descriptor)?.isPipe == true
    }

    private func write(_ head: ResponseHead, until deadline: Deadline?) throws {
        let terminal = console.terminal
        if terminal.isTerminal { return try console.output.write(head.display(hasColour: terminal.hasColour)) }
        try head.wireBytes.withUnsafeBytes { try console.output.write($0, until: deadline) }
    }

    private func judge(_ response: Response<ResponseBody>) throws {
        if response.status.code >= 400 {
            let request = MartletError.RequestSummary(method: plan.method, url: response.url.redactedDescription)
            throw ToolFailure(.status, "The server answered \(response.status). [\(request)]")
        }
        if response.status.isRedirection, let location = response.headers.location {
            diagnostics.note(
                "Note: the server redirects to \(location); --follow goes there.", after: console.output)
        }
    }
}
