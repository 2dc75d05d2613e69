// The benchmarks of Martlet, side by side with URLSession, curl, wrk and h2load, on Linux.
//
//     swift run -c release --package-path Benchmarks bench [--quick] [--only WORK[,WORK…]] [--json FILE] [--svg DIR]
//
// measures and prints a table. Each run of each subject is a process of its own; subjects alternate, and a figure is the
// median of five runs (--quick: of two, shorter). The servers are its own, on free loopback ports. Nothing is installed: what
// is missing is named, and its subjects are left out. SwiftPM does not look for new files in the package above: when the build
// misses a type of Martlet's, `touch Benchmarks/Package.swift`.
//
//     bench list                       the works and their subjects
//     bench serve                      the servers alone, until Ctrl-C; prints their addresses
//     bench run-one WORK SUBJECT [--url URL] [--calls N | --seconds S] [--cacert FILE] [--folder DIR] [--quick]
//
// makes one run in this process and prints its figures; without --url it starts the servers itself. For a profile, count the
// instructions of two run lengths and subtract, so that start-up and warm-up do not count:
//
//     bench serve &
//     valgrind --tool=callgrind bench run-one small-h1-c64 martlet-loop --url http://127.0.0.1:PORT/small --calls 6400
//     valgrind --tool=callgrind bench run-one small-h1-c64 martlet-loop --url http://127.0.0.1:PORT/small --calls 12800
//
// `main` is synchronous because valgrind cannot run an asynchronous one. The exit status is 0 when all was measured, whether
// or not a budget was met; 1 when something failed; 64 when the command line is wrong.

import BenchKit
import BenchRuns
import Foundation
import Glibc

@main
enum Bench {
    static func main() {
        end {
            switch try Arguments(Array(CommandLine.arguments.dropFirst())) {
            case .help: print(usage)
            case .list: list()
            case .measure(let options): try Measurement(options).run()
            case .runOne(let single): try runOne(RunOne(single))
            case .serve: try serve()
            case .sink(let port): try UploadSink.serve(port: port)
            }
        }
    }

    private static func runOne(_ run: RunOne) throws {
        guard run.needsMainActor else { return try run.run() }
        Thread.detachNewThread { end { try run.run() } }
        dispatchMain()
    }

    /// Does `body` and ends the process with the status that fits.
    private static func end(_ body: () throws -> Void) -> Never {
        do {
            try body()
            fflush(nil)
            exit(0)
        } catch let misuse as Arguments.Misuse {
            complain(misuse.description)
            exit(64)
        } catch {
            complain("\(error)")
            exit((error as? Failure)?.isInterruption == true ? 130 : 1)
        }
    }

    /// Writes a line to standard error.
    static func complain(_ text: String) {
        fflush(nil)
        let line = Array("bench: \(text)\n".utf8)
        _ = write(2, line, line.count)
    }

    /// Says on a terminal what is being done, in a line that the next one replaces.
    static func progress(_ text: String) {
        guard isatty(2) == 1 else { return }
        let line = Array("\r\u{1B}[K\(text)".utf8)
        _ = write(2, line, line.count)
    }

    private static let usage = """
        usage: bench [--quick] [--only WORK[,WORK…]] [--json FILE] [--svg DIR]
               bench list
               bench serve
               bench run-one WORK SUBJECT [--url URL] [--calls N | --seconds S] [--cacert FILE] [--folder DIR] [--quick]

        Measures Martlet beside URLSession, curl, wrk and h2load and prints a table with the performance budget: the ratio of what was
        reached to what is asked is 1 or more where it passes.

          --quick        two short runs of each subject instead of five
          --only WORK    these works only; `bench list` names them
          --json FILE    writes the results as JSON
          --svg DIR      draws a bar chart for each work

        run-one makes one run in this process, for profilers; `serve` starts the servers alone and prints their addresses:

          valgrind --tool=callgrind bench run-one small-h1-c64 martlet-loop --url http://127.0.0.1:PORT/small --calls 6400
        """

    private static func list() {
        for work in Work.all {
            print("\(work.name): \(work.summary)\n    \(work.subjects.map(\.name).joined(separator: ", "))")
        }
    }

    private static func serve() throws {
        Interruption.watch()
        let servers = try Servers(quick: false)
        defer { servers.stop() }
        for work in Work.all {
            if let address = try? servers.address(of: work.resource) { print("\(work.name): \(address)") }
        }
        print("--folder \(servers.files.path) \(servers.authority.map { "--cacert \($0)" } ?? "")")
        fflush(nil)
        while (try? Interruption.check()) != nil { usleep(100_000) }
    }
}
