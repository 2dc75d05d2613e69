// The programs that Martlet is measured against.

import BenchKit
import BenchRuns

extension Subject {
    /// wrk with one thread, as the clients beside it have one loop for their connections.
    ///
    /// - Parameter script: the name of a Lua script in the folder of files.
    static func wrk(concurrency: Int, script: String? = nil) -> Subject {
        .tool("wrk") { job in
            var words = ["-t1", "-c\(concurrency)", "-d\(max(1, Int(job.seconds.rounded())))s"]
            if let script { words += ["-s", try job.file(script)] }
            return words + [job.url]
        } read: { _, run in
            guard let result = ToolOutput.wrk(run.output) else { throw Failure("wrk reported no rate") }
            if let failures = ToolOutput.wrkFailures(run.output) { throw Failure("wrk: \(failures)") }
            return Figures(
                value: result.perSecond, cpuMicrosecondsPerCall: run.cpuSeconds * 1e6 / Double(result.requests),
                peakResidentKiB: run.peakResidentKiB)
        }
    }

    /// h2load with one connection, over which it keeps `concurrency` requests under way.
    static func h2load(concurrency: Int) -> Subject {
        .tool("h2load") { job in
            let amount = job.calls.map { "-n\($0)" } ?? "-D\(max(1, Int(job.seconds.rounded())))"
            return ["-t1", "-c1", "-m\(concurrency)", amount, job.url]
        } read: { _, run in
            guard let result = ToolOutput.h2load(run.output) else { throw Failure("h2load reported no rate") }
            if let failures = ToolOutput.h2loadFailures(run.output) { throw Failure("h2load: \(failures)") }
            return Figures(
                value: result.perSecond, cpuMicrosecondsPerCall: run.cpuSeconds * 1e6 / Double(result.requests),
                peakResidentKiB: run.peakResidentKiB)
        }
    }

    /// curl with one transfer, measured from the moment at which its connection is ready.
    ///
    /// - Parameter arguments: what it is given apart from the address.
    static func curl(_ arguments: @escaping @Sendable (Job) throws -> [String]) -> Subject {
        .tool("curl") { job in
            let figures = "%{time_total} %{time_pretransfer} %{size_download} %{size_upload}"
            return try ["-s", "-S", "-f", "-o", "/dev/null", "-w", figures] + arguments(job) + [job.url]
        } read: { _, run in
            guard let numbers = ToolOutput.lastNumbers(run.output), numbers.count == 4, numbers[0] > numbers[1] else {
                throw Failure("curl reported no time")
            }
            return Figures(
                value: max(numbers[2], numbers[3]) / (numbers[0] - numbers[1]) / 1e6,
                cpuMicrosecondsPerCall: run.cpuSeconds * 1e6, peakResidentKiB: run.peakResidentKiB)
        }
    }
}
