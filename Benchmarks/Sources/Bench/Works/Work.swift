// A work: something that a client does, the subjects that do it, and what Martlet must reach. A new one is a value in a file
// of its own and an entry in `Work.all`.

import BenchKit
import BenchRuns

/// One thing to measure.
struct Work: Sendable {
    let name: String
    /// What is done, for `list` and the charts.
    let summary: String
    var measures: [Measure] = [.callsPerSecond]
    /// What the calls go to.
    let resource: Servers.Resource
    /// Programs of which one must be there, apart from the subjects' own.
    var oneOf: [String] = []
    let subjects: [Subject]
    var budgets: [Budget] = []

    /// All works, in the order in which they are measured.
    static let all: [Work] =
        SmallCalls.works + [.post, .allocations] + Transfers.works + [.uploadBig, .encodeMultipart, .decodeGzip]
        + OpenResponses.works
        + [.json, .encodeForm, .cold, .cancelLatency] + ByteByByte.works

    static func named(_ name: String) -> Work? { all.first { $0.name == name } }

    func subject(_ name: String) -> Subject? { subjects.first { $0.name == name } }
}

/// One way of doing a work.
struct Subject: Sendable {
    enum Kind: Sendable {
        /// Code of ours, run in a child that is this same program.
        case code(@Sendable (Job) async throws -> Figures)
        /// Another program.
        case tool(
            String, arguments: @Sendable (Job) throws -> [String], read: @Sendable (Job, ToolRun) throws -> Figures)
        /// A program of this package's, built beside this one, that takes the words of `run-one`.
        case beside(String)
    }

    let name: String
    let kind: Kind
    /// Whether it runs code on the main actor.
    var needsMainActor = false

    /// Whether it is Martlet that is measured, so that its failure is ours.
    var isMartlet: Bool { name.hasPrefix("martlet") }

    /// A subject that is code of ours.
    static func code(_ name: String, _ body: @escaping @Sendable (Job) async throws -> Figures) -> Subject {
        Subject(name: name, kind: .code(body))
    }

    /// URLSession. A program of its own: FoundationNetworking wants libcurl once the runtime is linked statically.
    static let urlsession = Subject(name: "urlsession", kind: .beside("bench-urlsession"))

    /// A subject that is code of ours, some of it on the main actor.
    static func onMainActor(
        _ name: String, _ body: @escaping @Sendable (Job) async throws -> Figures
    ) -> Subject {
        Subject(name: name, kind: .code(body), needsMainActor: true)
    }

    /// A subject that is another program, under the program's name.
    static func tool(
        _ name: String, _ arguments: @escaping @Sendable (Job) throws -> [String],
        read: @escaping @Sendable (Job, ToolRun) throws -> Figures
    ) -> Subject {
        Subject(name: name, kind: .tool(name, arguments: arguments, read: read))
    }
}

extension [Subject] {
    /// For works over TLS: URLSession on Linux cannot be told to trust a certificate.
    var withoutURLSession: [Subject] { filter { $0.name != Subject.urlsession.name } }
}

/// What a program left behind.
struct ToolRun: Sendable {
    var output: String
    var cpuSeconds: Double
    var peakResidentKiB: Int
}
