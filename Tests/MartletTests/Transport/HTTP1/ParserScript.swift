// Runs a parser over a response in given portions and renders what came out as one line, so that cases read as a table:
// `i103 h200 b"hello" end keep`. Heads are i (informational) and h, then b and the body, then the end or the error's code;
// `keep` when the connection may be used again, `+3` when three bytes were left over.

@testable import Martlet

struct ParserScript {
    var method: HTTPMethod = .get
    var limits = HTTP1Parser.Limits()
    /// Whether the peer closes the connection at the end.
    var closes = true

    struct Outcome: Equatable, CustomStringConvertible {
        var informational: [ResponseHead] = []
        var head: ResponseHead?
        var body: [UInt8] = []
        var trailers: HTTPHeaders?
        var hasEnded = false
        var error: MartletError.Code?
        var message = ""
        var keepsConnection = false
        var surplus = 0

        static func == (left: Outcome, right: Outcome) -> Bool {
            left.description == right.description && left.informational == right.informational
                && left.head == right.head && left.body == right.body && left.trailers == right.trailers
                && left.message == right.message
        }

        var description: String {
            var words = informational.map { "i\($0.status.code)" }
            if let head { words.append("h\(head.status.code)") }
            if !body.isEmpty { words.append("b\"\(latin1(body))\"") }
            if hasEnded { words.append("end") }
            if let trailers { words.append("t(\(trailers.names.joined(separator: ",")))") }
            if let error { words.append(error.name) }
            if keepsConnection { words.append("keep") }
            if surplus > 0 { words.append("+\(surplus)") }
            return words.joined(separator: " ")
        }
    }

    /// The outcome of `input`, which arrives in pieces that end at each of `cuts`.
    func run(_ input: [UInt8], cuts: [Int] = []) -> Outcome {
        var outcome = Outcome()
        var parser = HTTP1Parser(limits: limits)
        parser.start(method: method)
        do throws(MartletError) {
            var start = 0
            for end in cuts + [input.count] where !outcome.hasEnded {
                let portion = Array(input[start..<end])
                try feed(portion, to: &parser, &outcome)
                if outcome.hasEnded { outcome.surplus += input.count - end }
                start = end
            }
            if closes, !outcome.hasEnded, let event = try parser.finish() { take(event, [], &outcome) }
        } catch {
            outcome.error = error.code
            outcome.message = error.message
        }
        outcome.keepsConnection = parser.keepsConnection
        return outcome
    }

    private func feed(
        _ portion: [UInt8], to parser: inout HTTP1Parser, _ outcome: inout Outcome
    ) throws(MartletError) {
        var offset = 0
        try portion.withUnsafeBufferPointer { buffer throws(MartletError) in
            while !outcome.hasEnded, let event = try parser.next(UnsafeRawBufferPointer(buffer), from: &offset) {
                take(event, portion, &outcome)
            }
        }
        if outcome.hasEnded { outcome.surplus += portion.count - offset }
    }

    private func take(_ event: HTTP1Parser.Event, _ portion: [UInt8], _ outcome: inout Outcome) {
        switch event {
        case .informational(let head): outcome.informational.append(head)
        case .head(let head): outcome.head = head
        case .body(let range): outcome.body += portion[range]
        case .end(let trailers):
            outcome.hasEnded = true
            outcome.trailers = trailers
        }
    }
}

/// The bytes of a text whose characters are all below U+0100, one byte each.
func latin1(_ text: String) -> [UInt8] { text.unicodeScalars.map { UInt8(truncatingIfNeeded: $0.value) } }

/// The text of bytes, one character each.
func latin1(_ bytes: some Sequence<UInt8>) -> String {
    String(String.UnicodeScalarView(bytes.map { Unicode.Scalar($0) }))
}
