// The files that are served and sent, each made when a work first asks for it.

import BenchRuns
import Foundation

/// What is in the folder of files.
enum Files {
    static let compressed = "text.gz"
    static let postScript = "post.lua"

    static func bigBytes(quick: Bool) -> Int { quick ? 128 << 20 : 1 << 30 }

    /// Makes what is not there yet of those that a path needs.
    static func prepare(_ path: String, in folder: URL, quick: Bool) throws {
        let name = String(path.drop { $0 == "/" })
        let file = folder.appending(path: name)
        guard !FileManager.default.fileExists(atPath: file.path) else { return }
        switch name {
        case "small":
            let text =
                "A hundred bytes of text, such as a small answer has: words, a number or two, 12345, and the end.\n"
            try Data(text.utf8).write(to: file)
        case Contents.big: try sparse(file, bytes: bigBytes(quick: quick))
        case compressed: try compress(file, bytes: bigBytes(quick: quick))
        case "100m": try sparse(file, bytes: quick ? 10_000_000 : 100_000_000)
        case "lines":
            let lines = (0..<(quick ? 100_000 : 1_000_000)).map { "\($0) is the number of this line of some text\n" }
            try Data(lines.joined().utf8).write(to: file)
        case "events":
            let events = (0..<(quick ? 100_000 : 1_000_000)).map { "id: \($0)\ndata: {\"n\":\($0)}\n\n" }
            try Data(events.joined().utf8).write(to: file)
        case "records.json": try Record.document().write(to: file)
        case "post":
            let script = """
                wrk.method = "POST"
                wrk.body = [==[\(Contents.postBody)]==]
                wrk.headers["Content-Type"] = "application/json"
                """
            try Data(script.utf8).write(to: folder.appending(path: postScript))
        case "trickle": try prepare(Contents.big, in: folder, quick: quick)
        default: throw Failure("no file is called \(name)")
        }
    }

    /// Text in gzip: a block of it, and then the same member again and again.
    private static func compress(_ url: URL, bytes: Int) throws {
        let words = [
            "the", "of", "bird", "and", "swift", "to", "wing", "a", "in", "that", "never", "is", "land", "was", "he",
            "for",
        ]
        var (text, chance) = ("", UInt64(1))
        while text.utf8.count < 8 << 20 {
            chance = chance &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
            text += "\(words[Int(chance >> 60)]) \(chance >> 40 & 0xFFF) \(words[Int(chance >> 36 & 15)])\n"
        }
        let block = Data(text.utf8.prefix(8 << 20))
        let plain = url.deletingPathExtension()
        try block.write(to: plain)
        let outcome = try ChildProcess("gzip", ["-f", plain.path]).wait(atMost: 60)
        guard outcome.status == 0 else { throw Failure("gzip made no file: \(outcome.errors)") }
        let member = try Data(contentsOf: url)
        let file = try FileHandle(forWritingTo: url)
        try file.seekToEnd()
        for _ in 1..<(bytes / block.count) { try file.write(contentsOf: member) }
        try file.close()
    }

    /// A file of zeros that takes no room on the disk.
    private static func sparse(_ url: URL, bytes: Int) throws {
        try Data().write(to: url)
        let file = try FileHandle(forWritingTo: url)
        try file.truncate(atOffset: UInt64(bytes))
        try file.close()
    }
}
