// A measurement: the works one after the other, and of each work its subjects in turns, round by round, so that what else the
// machine does meets all of them alike.

import BenchKit
import BenchRuns
import Foundation

/// Measures works and reports them.
struct Measurement {
    private let options: Arguments.Options
    private let works: [Work]
    private var rounds: Int { options.quick ? 2 : 5 }

    init(_ options: Arguments.Options) throws {
        self.options = options
        for name in options.only where Work.named(name) == nil {
            throw Arguments.Misuse("no work is called \(name); `bench list` names them")
        }
        works = options.only.isEmpty ? Work.all : Work.all.filter { options.only.contains($0.name) }
    }

    func run() throws {
        Interruption.watch()
        let start = MachineTime.now()
        let servers = try Servers(quick: options.quick)
        defer { servers.stop() }
        var table = Table()
        var rows: [Row] = []
        var failed: [String] = []
        var interruption: Failure?
        for work in works {
            let measured: [Row]
            do {
                measured = try measure(work, servers, &failed)
            } catch let failure as Failure where failure.isInterruption {
                // What was measured until then is still shown.
                interruption = failure
                break
            }
            rows += measured
            table.add(measured, budgets: work.budgets)
            if let folder = options.svg, !measured.isEmpty { try draw(work, measured, in: URL(filePath: folder)) }
        }
        // Their time counts once they have ended.
        servers.stop()
        print(table.text, terminator: "")
        if let start, let end = MachineTime.now() {
            print(end.account(since: start, own: ProcessFigures.ownTicks))
        }
        if let json = options.json { try ResultsFile(rows).encoded().write(to: URL(filePath: json)) }
        if let interruption { throw interruption }
        if !failed.isEmpty { throw Failure("failed: \(failed.joined(separator: ", "))") }
    }

    private func draw(_ work: Work, _ rows: [Row], in folder: URL) throws {
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        try Data(Chart(of: rows, summary: work.summary).svg.utf8).write(to: folder.appending(path: "\(work.name).svg"))
    }

    /// - Parameter failed: gets the subjects of Martlet that could not be measured.
    private func measure(_ work: Work, _ servers: Servers, _ failed: inout [String]) throws -> [Row] {
        let url: String
        do {
            url = try servers.address(of: work.resource)
            if let first = work.oneOf.first, !work.oneOf.contains(where: { Tools.path(of: $0) != nil }) {
                throw Failure(Tools.advice(first))
            }
        } catch let failure as Failure where !failure.isInterruption {
            Bench.complain("\(work.name) is left out: \(failure)")
            return []
        }
        var left = work.subjects
        var runs: [String: [Figures]] = [:]
        for round in 1...rounds {
            for subject in left {
                Bench.progress("\(work.name), round \(round) of \(rounds): \(subject.name)")
                do {
                    runs[subject.name, default: []].append(try run(work, subject, url, servers))
                } catch let failure as Failure where !failure.isInterruption {
                    Bench.complain("\(work.name) without \(subject.name): \(failure)")
                    left.removeAll { $0.name == subject.name }
                    runs[subject.name] = nil
                    if subject.isMartlet { failed.append("\(work.name) \(subject.name)") }
                }
            }
        }
        Bench.progress("")
        return work.subjects.flatMap { subject in rows(work, subject.name, runs[subject.name] ?? []) }
    }

    private func run(_ work: Work, _ subject: Subject, _ url: String, _ servers: Servers) throws -> Figures {
        var single = Arguments.Single(work: work.name, subject: subject.name)
        single.url = url
        single.seconds = options.quick ? 0.5 : 2
        single.authority = servers.authority
        single.folder = servers.files.path
        single.quick = options.quick
        switch subject.kind {
        case .code: return try RunOne.run(single, in: "/proc/self/exe")
        case .beside(let program): return try RunOne.run(single, in: Tools.beside(program))
        case .tool(let program, _, _):
            guard Tools.path(of: program) != nil else { throw Failure(Tools.advice(program)) }
            return try RunOne.run(subject, Job(single, url: url))
        }
    }

    private func rows(_ work: Work, _ subject: String, _ runs: [Figures]) -> [Row] {
        let medians = Figures.medians(of: runs)
        return work.measures.compactMap { measure in
            medians.values[measure.key].map {
                Row(
                    work: work.name, subject: subject, measure: measure, value: $0,
                    cpuMicrosecondsPerCall: medians.cpuMicrosecondsPerCall,
                    peakResidentKiB: medians.peakResidentKiB)
            }
        }
    }
}
