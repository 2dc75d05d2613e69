// The corpus, whole, cut in two at every place, and a byte at a time: how bytes arrive must not change what they mean.

import Testing

@testable import Martlet

@Suite struct HTTP1ParserCorpusTests {
    @Test(arguments: ParserCase.all)
    func responseIsReadAsTheTableSays(_ example: ParserCase) {
        let outcome = ParserScript(method: example.method).run(example.bytes)
        #expect(outcome.description == example.expected)
    }

    @Test(arguments: ParserCase.all)
    func outcomeIsTheSameWhereverTheBytesAreCut(_ example: ParserCase) {
        let script = ParserScript(method: example.method)
        let bytes = example.bytes
        let whole = script.run(bytes)
        for cut in bytes.indices {
            let outcome = script.run(bytes, cuts: [cut])
            #expect(outcome == whole, "cut at \(cut)")
        }
    }

    @Test(arguments: ParserCase.all)
    func outcomeIsTheSameOneByteAtATime(_ example: ParserCase) {
        let script = ParserScript(method: example.method)
        let bytes = example.bytes
        #expect(script.run(bytes, cuts: Array(bytes.indices)) == script.run(bytes))
    }

    @Test func corpusHoldsManyCases() {
        #expect(ParserCase.all.count >= 60)
        #expect(Set(ParserCase.all.map(\.name)).count == ParserCase.all.count)
    }
}
