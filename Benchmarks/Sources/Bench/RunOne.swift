// One run of one subject in this process: what a measurement starts as a child, and what a profiler is put in front of.

import BenchKit
import Foundation
import Glibc

/// Runs a subject once and prints its figures.
struct RunOne: Sendable {
    private let single: Arguments.Single
    private let work: Work
    private let subject: Subject

    init(_ single: Arguments.Single) throws {
        guard let work = Work.named(single.work) else { throw Arguments.Misuse("no work is called \(single.work)") }
        guard let subject = work.subject(single.subject) else {
            throw Arguments.Misuse("\(work.name) has no subject \(single.subject)")
        }
        self.single = single
        self.work = work
        self.subject = subject
    }

    /// Whether code on the main actor is part of it, so that the main thread must be free.
    var needsMainActor: Bool { subject.needsMainActor }

    func run() throws {
        ProcessFigures.raiseDescriptorLimit()
        if let url = single.url {
            try run(Self.job(single, url: url))
        } else {
            Interruption.watch()
            let servers = try Servers(quick: single.quick)
            defer { servers.stop() }
            var single = single
            single.authority = servers.authority
            single.folder = single.folder ?? servers.files.path
            try run(Self.job(single, url: try servers.address(of: work.resource)))
        }
    }

    /// What a subject is given for the words of a command line.
    static func job(_ single: Arguments.Single, url: String) -> Job {
        Job(
            url: url, calls: single.calls, seconds: single.seconds ?? (single.quick ? 0.5 : 2),
            authority: single.authority, folder: single.folder, quick: single.quick)
    }

    private func run(_ job: Job) throws {
        let figures: Figures
        switch subject.kind {
        case .code(let body): figures = try Self.wait { try await body(job) }
        case .tool: figures = try Self.run(subject, job)
        }
        print(figures.lines, terminator: "")
    }

    /// Runs another program and reads what it printed.
    static func run(_ subject: Subject, _ job: Job) throws -> Figures {
        guard case .tool(let name, let arguments, let read) = subject.kind else {
            throw Failure("\(subject.name) is no program")
        }
        let outcome = try ChildProcess(name, try arguments(job)).wait(atMost: 120)
        guard outcome.status == 0 else { throw Failure("\(name) ended with \(outcome.status): \(outcome.errors)") }
        return try read(
            job,
            ToolRun(
                output: outcome.output, cpuSeconds: outcome.cpuSeconds, peakResidentKiB: outcome.peakResidentKiB))
    }

    /// Runs asynchronous code to its end from synchronous code.
    private static func wait(_ body: @escaping @Sendable () async throws -> Figures) throws -> Figures {
        let outcome = Outcome()
        Task { @concurrent in
            do { outcome.end(.success(try await body())) } catch { outcome.end(.failure(error)) }
        }
        return try outcome.wait()
    }

    /// What the task ended with. The semaphore orders its one write before the one read.
    private final class Outcome: @unchecked Sendable {
        private var result: Result<Figures, any Error>?
        private let ended = DispatchSemaphore(value: 0)

        func end(_ result: Result<Figures, any Error>) {
            self.result = result
            ended.signal()
        }

        func wait() throws -> Figures {
            ended.wait()
            guard let result else { throw Failure("the run has no result") }
            return try result.get()
        }
    }
}
