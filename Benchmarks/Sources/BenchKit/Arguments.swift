// The command line, read without a library.

/// What the command line asks for.
package enum Arguments: Sendable, Equatable {
    case help
    case list
    case measure(Options)
    case runOne(Single)
    case serve
    case sink(port: Int)

    /// The settings of a measurement.
    package struct Options: Sendable, Equatable {
        package var quick = false
        package var only: [String] = []
        package var json: String?
        package var svg: String?

        package init() {}
    }

    /// One run of one subject in this process.
    package struct Single: Sendable, Equatable {
        package var work: String
        package var subject: String
        package var url: String?
        package var calls: Int?
        package var seconds: Double?
        package var authority: String?
        package var folder: String?
        package var quick = false

        package init(work: String, subject: String) {
            self.work = work
            self.subject = subject
        }

        /// The words that ask for it.
        package var words: [String] {
            var words = ["run-one", work, subject]
            if let url { words += ["--url", url] }
            if let calls { words += ["--calls", String(calls)] }
            if let seconds { words += ["--seconds", String(seconds)] }
            if let authority { words += ["--cacert", authority] }
            if let folder { words += ["--folder", folder] }
            if quick { words.append("--quick") }
            return words
        }
    }

    /// What is wrong with a command line.
    package struct Misuse: Error, Equatable, CustomStringConvertible {
        package var description: String

        package init(_ description: String) { self.description = description }
    }

    package init(_ words: [String]) throws(Misuse) {
        if words.contains("--help") || words.contains("-h") || words.first == "help" {
            self = .help
            return
        }
        switch words.first {
        case "run-one": self = .runOne(try Self.single(Array(words.dropFirst())))
        case "serve": self = try Self.alone(words, .serve)
        case "list": self = try Self.alone(words, .list)
        case "sink":
            guard words.count == 2, let port = Int(words[1]) else { throw Misuse("sink needs a port") }
            self = .sink(port: port)
        default: self = .measure(try Self.options(words))
        }
    }

    private static func alone(_ words: [String], _ command: Arguments) throws(Misuse) -> Arguments {
        guard words.count == 1 else { throw Misuse("\(words[0]) takes no arguments") }
        return command
    }

    private static func options(_ words: [String]) throws(Misuse) -> Options {
        var options = Options()
        var rest = words[...]
        while let word = rest.popFirst() {
            switch word {
            case "--quick": options.quick = true
            case "--only": options.only += try value(of: word, &rest).split(separator: ",").map(String.init)
            case "--json": options.json = try value(of: word, &rest)
            case "--svg": options.svg = try value(of: word, &rest)
            default: throw Misuse("\(word) is not known; --help tells what is")
            }
        }
        return options
    }

    private static func single(_ words: [String]) throws(Misuse) -> Single {
        guard words.count >= 2, !words[0].hasPrefix("-"), !words[1].hasPrefix("-") else {
            throw Misuse("run-one needs a work and a subject")
        }
        var single = Single(work: words[0], subject: words[1])
        var rest = words.dropFirst(2)
        while let word = rest.popFirst() {
            switch word {
            case "--url": single.url = try value(of: word, &rest)
            case "--calls": single.calls = try number(of: word, &rest) { Int($0) }
            case "--seconds": single.seconds = try number(of: word, &rest) { Double($0) }
            case "--cacert": single.authority = try value(of: word, &rest)
            case "--folder": single.folder = try value(of: word, &rest)
            case "--quick": single.quick = true
            default: throw Misuse("\(word) is not known; --help tells what is")
            }
        }
        return single
    }

    private static func value(of option: String, _ rest: inout ArraySlice<String>) throws(Misuse) -> String {
        guard let value = rest.popFirst(), !value.hasPrefix("--") else {
            throw Misuse("\(option) needs a value")
        }
        return value
    }

    private static func number<Number: Comparable & ExpressibleByIntegerLiteral>(
        of option: String, _ rest: inout ArraySlice<String>, _ read: (String) -> Number?
    ) throws(Misuse) -> Number {
        guard let number = read(try value(of: option, &rest)), number > 0 else {
            throw Misuse("\(option) needs a number above 0")
        }
        return number
    }
}
