// The decoder as a pure value: whatever pieces the bytes come in, whatever is wrong with them, and no more than the limits allow.

#if Zlib
import Foundation
import Testing

@testable import Martlet

@Suite(.timeLimit(.minutes(5))) struct ContentDecoderTests {
    // MARK: What is right

    @Test(arguments: Coded.cases) func contentComesBackWhereverItIsSplit(_ coded: CodedCase) throws {
        for split in 0...coded.bytes.count {
            let pieces = [coded.bytes.prefix(split), coded.bytes.dropFirst(split)]
            #expect(try Coded.decode(pieces, [coded.coding]) == Coded.text, "split at \(split)")
        }
    }

    @Test(arguments: Coded.cases) func contentComesBackByteByByte(_ coded: CodedCase) throws {
        #expect(try Coded.decode(coded.bytes.map { Data([$0]) }, [coded.coding]) == Coded.text)
    }

    @Test(arguments: [0, 1, 2, 100_000, 262_143, 262_144, 262_145, 3_000_000])
    func contentOfAnySizeComesInPiecesOfABufferAtMost(_ count: Int) throws {
        var random = SeededRandom(seed: UInt64(count))
        let content = Data((0..<count).map { _ in UInt8(random.next(below: 4)) })
        for (coding, bytes) in [
            (ContentCoding.gzip, Coded.gzip(content)), (.deflate, Coded.zlib(content)), (.deflate, Coded.bare(content)),
        ] {
            let decoded = try Coded.decode([bytes], [coding]) { #expect(!$0.isEmpty && $0.count <= ReadBuffer.size) }
            #expect(decoded == content)
        }
    }

    @Test(arguments: 0..<32) func everyHeaderOfGzipIsRead(_ flags: UInt8) throws {
        let member = Coded.member(Coded.text, flags: flags)
        for size in [1, 7, 1_000] {
            let pieces = stride(from: 0, to: member.count, by: size).map {
                Data(member[$0..<min($0 + size, member.count)])
            }
            #expect(try Coded.decode(pieces, [.gzip]) == Coded.text)
        }
    }

    @Test func membersOfGzipFollowOneAnother() throws {
        let parts = ["one ", "", "two ", "", ""].map { Data($0.utf8) }
        let bytes = parts.map { Coded.member($0, flags: 8) }.reduce(Data(), +) + Coded.gzip(Data("three".utf8))
        for split in 0...bytes.count {
            let pieces = [bytes.prefix(split), bytes.dropFirst(split)]
            #expect(try Coded.decode(pieces, [.gzip]) == Data("one two three".utf8), "split at \(split)")
        }
        #expect(try Coded.decode(bytes.map { Data([$0]) }, [.gzip]) == Data("one two three".utf8))
    }

    @Test(arguments: Coded.cases) func nothingAtAllIsAnEmptyBody(_ coded: CodedCase) throws {
        #expect(try Coded.decode([], [coded.coding]).isEmpty)
    }

    @Test func codingsAreTakenOffInOrder() throws {
        let twice = Coded.gzip(Coded.zlib(Coded.text))
        #expect(try Coded.decode([twice], [.gzip, .deflate]) == Coded.text)
        let thrice = Coded.bare(twice)
        #expect(try Coded.decode(thrice.map { Data([$0]) }, [.deflate, .gzip, .deflate]) == Coded.text)
        let nothing = Coded.gzip(Data())
        #expect(try Coded.decode([nothing], [.gzip, .deflate]).isEmpty)
    }

    @Test(arguments: [
        Data(count: 1), Data(count: 65_536), Data("garbage".utf8), Data([0x1F]), Data([0x1F, 0]),
        Data([0x1F, 0x8C, 8]),
    ]) func bytesAfterTheLastMemberAreIgnored(_ trailing: Data) throws {
        // A single first byte may be that of a member which is cut.
        let isCut = trailing == Data([0x1F])
        for pieces in [[Coded.gzip(Coded.text) + trailing], [Coded.gzip(Coded.text), trailing]] {
            if isCut {
                expect(.bodyTruncated) { try Coded.decode(pieces, [.gzip]) }
            } else {
                #expect(try Coded.decode(pieces, [.gzip]) == Coded.text)
            }
        }
    }

    @Test(arguments: [ContentCoding.gzip, .deflate]) func tooManyBytesAfterTheEndAreRefused(_ coding: ContentCoding) {
        let bytes = (coding == .gzip ? Coded.gzip(Coded.text) : Coded.zlib(Coded.text)) + Data(count: 65_537)
        expect(.invalidContentCoding) { try Coded.decode([bytes], [coding]) }
    }

    // MARK: What is wrong

    @Test(arguments: Coded.cases) func everyPrefixIsTruncated(_ coded: CodedCase) {
        for count in 1..<coded.bytes.count {
            expect(.bodyTruncated, "\(count) bytes") { try Coded.decode([coded.bytes.prefix(count)], [coded.coding]) }
        }
    }

    @Test func everyPrefixOfALaterMemberIsTruncated() throws {
        let first = Coded.member(Data("first".utf8))
        let whole = first + Coded.member(Coded.text, flags: 0x1F)
        for count in 1..<whole.count where count != first.count {
            expect(.bodyTruncated, "\(count) bytes") { try Coded.decode([whole.prefix(count)], [.gzip]) }
        }
        #expect(try Coded.decode([first], [.gzip]) == Data("first".utf8))
    }

    /// Sums of 32 bits find every fault of one byte. In a header only its own sum would, and the bits that fill the last byte of
    /// the data mean nothing.
    @Test(arguments: [("gzip", 10), ("deflate", 2)]) func everyDamagedByteIsFound(_ name: String, _ header: Int) {
        let whole = name == "gzip" ? Coded.gzip(Coded.text) : Coded.zlib(Coded.text)
        let coding: ContentCoding = name == "gzip" ? .gzip : .deflate
        for place in header..<whole.count {
            for mask: UInt8 in [0x01, 0x10, 0x80, 0xFF] {
                var bytes = whole
                bytes[place] ^= mask
                let decoded = try? Coded.decode([bytes], [coding])
                #expect(decoded == nil || decoded == Coded.text, "byte \(place) ^ \(mask)")
            }
        }
    }

    @Test(arguments: [
        ("the sum", Coded.member(Coded.text, sum: 1)), ("the size", Coded.member(Coded.text, size: 1)),
        ("the sum of the header", Coded.member(Coded.text, flags: 2, headerSum: 1)),
        ("a reserved flag", Coded.member(Coded.text, flags: 0x20)),
        ("a method that is not deflate", Data([0x1F, 0x8B, 7]) + Coded.gzip(Coded.text).dropFirst(3)),
        ("the second member", Coded.gzip(Coded.text) + Coded.member(Coded.text, sum: 1)),
        ("no gzip at all", Coded.text), ("zlib in its place", Coded.zlib(Coded.text)),
    ]) func whatIsNotGzipIsRefused(_ what: String, _ bytes: Data) {
        let error = expect(.invalidContentCoding) { try Coded.decode([bytes], [.gzip]) }
        #expect(error?.message.contains("gzip") == true)
    }

    @Test(arguments: [
        ("gzip in its place", Coded.gzip(Coded.text)), ("text", Data("{\"a\": 1}".utf8)),
        ("a dictionary", Data([0x78, 0xBB, 0, 0, 0, 1])), ("a reserved block", Data([0x07, 0, 0])),
    ]) func whatIsNotDeflateIsRefused(_ what: String, _ bytes: Data) {
        let error = expect(.invalidContentCoding) { try Coded.decode([bytes], [.deflate]) }
        #expect(error?.message.contains("deflate") == true)
    }

    @Test(arguments: 0..<10) func randomBytesNeverTrapAndPiecesDoNotMatter(_ block: UInt64) {
        for seed in (block * 100)..<((block + 1) * 100) {
            var random = SeededRandom(seed: seed)
            let coded = Coded.cases[random.next(below: Coded.cases.count)]
            var bytes = coded.bytes
            for _ in 0..<random.next(below: 3) {
                bytes[random.next(below: bytes.count)] = UInt8(random.next(below: 256))
            }
            if random.next(below: 4) == 0 { bytes += Data((0..<50).map { _ in UInt8(random.next(below: 256)) }) }
            var outcomes = Set<String>()
            for size in [1, 3, 1_000_000] {
                let pieces = stride(from: 0, to: bytes.count, by: size).map {
                    Data(bytes[$0..<min($0 + size, bytes.count)])
                }
                do {
                    outcomes.insert("\(try Coded.decode(pieces, [coded.coding]).count)")
                } catch {
                    outcomes.insert("\((error as? MartletError)?.code ?? .other)")
                }
            }
            #expect(outcomes.count == 1, "seed \(seed), \(coded.name): \(outcomes)")
        }
    }

    @Test(arguments: [
        ("gzip with a wrong sum", Coded.member(Coded.text, sum: 1), [ContentCoding.gzip]),
        ("deflate with a wrong sum", Coded.zlib(Coded.text).dropLast() + [0xAA], [.deflate]),
        ("a member that is none", Coded.gzip(Coded.text) + [0x1F, 0x8B, 9, 0, 0, 0, 0, 0, 0, 0], [.gzip]),
        ("the inner of two", Coded.gzip(Coded.zlib(Coded.text).dropLast() + [0xAA]), [.gzip, .deflate]),
        ("the outer of two", Coded.member(Coded.zlib(Coded.text), sum: 1), [.gzip, .deflate]),
    ]) func whatIsDecodedBeforeAFaultIsGivenBeforeIt(_ name: String, _ bytes: Data, _ codings: [ContentCoding]) {
        for size in [1, 7, bytes.count] {
            let decoder = ContentDecoder(codings, limits: ContentDecoding())
            var decoded = Data()
            let error = #expect(throws: MartletError.self, "\(name)") {
                for start in stride(from: 0, to: bytes.count, by: size) {
                    decoder.push(Data(bytes.dropFirst(start).prefix(size)))
                    while let piece = try decoder.next() { decoded += piece }
                }
            }
            #expect(error?.code == .invalidContentCoding, "\(name)")
            #expect(decoded == Coded.text, "\(name)")
            // It stays as it is.
            #expect(throws: MartletError.self, "\(name)") { try decoder.next() }
        }
    }

    // MARK: Limits

    @Test func aBombStopsWhereTheRatioIsJudged() {
        var most = 0
        expect(.decompressedSizeExceeded) {
            try Coded.decode([Coded.zeros(mebibytes: 64)], [.gzip]) { most += $0.count }
        }
        #expect(most <= ContentDecoding.ratioApplies)
    }

    @Test func aBombStopsAtTheLimitOfBytes() {
        var limits = ContentDecoding()
        limits.maximumRatio = nil
        limits.maximumBytes = 5_000_000
        var most = 0
        expect(.decompressedSizeExceeded) {
            try Coded.decode([Coded.zeros(mebibytes: 64)], [.gzip], limits: limits) { most += $0.count }
        }
        #expect(most <= 5_000_000)
    }

    @Test func withoutLimitsZerosComeBack() {
        var limits = ContentDecoding()
        limits.maximumRatio = nil
        var count = 0
        // Its sums are wrong, which shows only at the end.
        expect(.invalidContentCoding) {
            try Coded.decode([Coded.zeros(mebibytes: 20)], [.gzip], limits: limits) { count += $0.count }
        }
        // The piece in which the fault shows is not given.
        #expect((20 << 20) - ReadBuffer.size...20 << 20 ~= count)
    }

    @Test func aSmallBodyMayExpandAsFarAsItDoes() throws {
        let zeros = Data(count: 1 << 20)
        #expect(try Coded.decode([Coded.gzip(zeros)], [.gzip]) == zeros)
        expect(.decompressedSizeExceeded) { try Coded.decode([Coded.gzip(zeros + [0])], [.gzip]) }
    }

    @Test func aLimitIsMetExactly() throws {
        var limits = ContentDecoding()
        limits.maximumBytes = Coded.text.count
        #expect(try Coded.decode([Coded.gzip(Coded.text)], [.gzip], limits: limits) == Coded.text)
        limits.maximumBytes = Coded.text.count - 1
        expect(.decompressedSizeExceeded) { try Coded.decode([Coded.gzip(Coded.text)], [.gzip], limits: limits) }
    }

    @Test func aBombOfBombsStops() {
        expect(.decompressedSizeExceeded) {
            try Coded.decode([Coded.gzip(Coded.zeros(mebibytes: 100))], [.gzip, .gzip])
        }
    }

    /// Twenty million bytes of blocks without content: the middle of the stack expands, and nothing ever comes out of it.
    @Test func aStackThatExpandsInItsMiddleStops() {
        let block: [UInt8] = [0, 0, 0, 0xFF, 0xFF]
        let inner = Data(repeatElement(block, count: 1_000_000).joined()) + [3, 0]
        var count = 0
        expect(.decompressedSizeExceeded) {
            try Coded.decode([Coded.gzip(inner)], [.gzip, .deflate]) { count += $0.count }
        }
        #expect(count == 0)
    }

    #if Zstd
    @Test func aZstdWindowThatTakesTooMuchMemoryIsRefused() {
        // The head of a frame whose window is 16 MiB.
        let bytes = Data([0x28, 0xB5, 0x2F, 0xFD, 0x00, 14 << 3, 0x01, 0x00, 0x00])
        expect(.invalidContentCoding) { try Coded.decode([bytes], [.zstd]) }
    }

    @Test func framesOfZstdFollowOneAnother() throws {
        let bytes = Coded.zstdText + Coded.zstdText
        #expect(try Coded.decode([bytes], [.zstd]) == Coded.text + Coded.text)
        #expect(try Coded.decode(bytes.map { Data([$0]) }, [.zstd]) == Coded.text + Coded.text)
    }
    #endif

    #if Brotli
    @Test func bytesAfterTheEndOfBrotliAreRefused() {
        expect(.invalidContentCoding) { try Coded.decode([Coded.brotliText + [0]], [.brotli]) }
        expect(.invalidContentCoding) { try Coded.decode([Coded.brotliText, Data([0])], [.brotli]) }
    }
    #endif

    @discardableResult
    private func expect(
        _ code: MartletError.Code, _ comment: Comment? = nil, sourceLocation: SourceLocation = #_sourceLocation,
        _ body: () throws -> Data
    ) -> MartletError? {
        do {
            let data = try body()
            Issue.record("Expected \(code), got \(data.count) bytes. \(comment ?? "")", sourceLocation: sourceLocation)
        } catch let error as MartletError {
            #expect(error.code == code, comment, sourceLocation: sourceLocation)
            return error
        } catch {
            Issue.record("Expected \(code), caught \(error)", sourceLocation: sourceLocation)
        }
        return nil
    }
}
#endif
