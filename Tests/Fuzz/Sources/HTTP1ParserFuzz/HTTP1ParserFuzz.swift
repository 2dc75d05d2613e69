// The target that libFuzzer calls. The first byte picks method and limits, the second where the bytes are cut in two; the rest is
// the response. Traps, hangs and reads beyond the buffer are found by the sanitizers; that a cut changes the outcome, here.

/// What came out of a parser, in the order in which it came.
private struct Outcome: Equatable {
    var heads: [ResponseHead] = []
    var body: [UInt8] = []
    var trailers: HTTPHeaders?
    var hasEnded = false
    var error: String?
    var keepsConnection = false
    var consumed = 0
}

private func run(_ bytes: [UInt8], choice: UInt8, cut: Int) -> Outcome {
    var limits = HTTP1Parser.Limits()
    limits.acceptsBareLineFeed = choice & 4 != 0
    if choice & 8 != 0 {
        limits.headBytes = 64
        limits.fields = 3
        limits.informationalHeads = 1
        limits.chunkExtensionBytes = 8
    }
    var parser = HTTP1Parser(limits: limits)
    parser.start(method: [.get, .head, .connect, .post][Int(choice & 3)])
    var outcome = Outcome()
    do throws(MartletError) {
        for portion in [bytes[..<cut], bytes[cut...]] where !outcome.hasEnded {
            try feed(Array(portion), to: &parser, &outcome)
        }
        if !outcome.hasEnded, case .end = try parser.finish() { outcome.hasEnded = true }
    } catch {
        outcome.error = error.debugDescription
        outcome.consumed = 0
    }
    outcome.keepsConnection = parser.keepsConnection
    return outcome
}

private func feed(
    _ portion: [UInt8], to parser: inout HTTP1Parser, _ outcome: inout Outcome
) throws(MartletError) {
    var offset = 0
    var steps = 0
    defer { outcome.consumed += offset }
    try portion.withUnsafeBufferPointer { buffer throws(MartletError) in
        while let event = try parser.next(UnsafeRawBufferPointer(buffer), from: &offset) {
            steps += 1
            precondition(steps <= 2 * portion.count + 4, "the parser gives events without end")
            switch event {
            case .informational(let head), .head(let head): outcome.heads.append(head)
            case .body(let range): outcome.body += portion[range]
            case .end(let trailers):
                outcome.hasEnded = true
                outcome.trailers = trailers
                return
            }
        }
        precondition(offset == portion.count, "the parser asks for more without having read all")
    }
}

@_cdecl("LLVMFuzzerTestOneInput")
public func fuzz(_ start: UnsafePointer<UInt8>?, _ count: Int) -> CInt {
    let input = Array(UnsafeBufferPointer(start: start, count: count))
    guard input.count >= 2 else { return 0 }
    let bytes = Array(input[2...])
    let whole = run(bytes, choice: input[0], cut: bytes.count)
    let cut = run(bytes, choice: input[0], cut: bytes.isEmpty ? 0 : Int(input[1]) % (bytes.count + 1))
    precondition(whole == cut, "where the bytes are cut changes the outcome")
    return 0
}
