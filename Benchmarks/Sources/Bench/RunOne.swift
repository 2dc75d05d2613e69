// One run of one subject in this process: what a measurement starts as a child, and what a profiler is put in front of.

import BenchKit
import BenchRuns
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
            try run(Job(single, url: url))
        } else {
            Interruption.watch()
            let servers = try Servers(quick: single.quick)
            defer { servers.stop() }
            var single = single
            single.authority = servers.authority
            single.folder = single.folder ?? servers.files.path
            try run(Job(single, url: try servers.address(of: work.resource)))
        }
    }

    private func run(_ job: Job) throws {
        let figures: Figures
        switch subject.kind {
        case .code(let body): figures = try Waiting.run { try await body(job) }
        case .tool: figures = try Self.run(subject, job)
        case .beside(let program):
            var single = single
            single.url = job.url
            single.authority = job.authority
            single.folder = job.folder
            figures = try Self.run(single, in: Tools.beside(program))
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

    /// Makes the run in a process of a program that takes the words of `run-one`.
    static func run(_ single: Arguments.Single, in program: String) throws -> Figures {
        let outcome = try ChildProcess(program, single.words).wait(atMost: 120)
        guard outcome.status == 0, let figures = Figures(lines: outcome.output) else {
            throw Failure("ended with \(outcome.status). \(outcome.errors)")
        }
        return figures
    }
}
