// What answers to a request for the rest of a file mean, and how `Content-Range` is read.

import Testing

@testable import Martlet

@Suite struct RangeAnswerTests {
    @Test(
        arguments: [
            ("bytes 0-9/10", 0...9, 10), ("BYTES 5-5/*", 5...5, nil), ("bytes */10", nil, 10),
        ] as [(String, ClosedRange<Int>?, Int?)])
    func whatIsWellFormedIsRead(text: String, bounds: ClosedRange<Int>?, total: Int?) {
        let range = ContentRange(text)
        #expect(range?.bounds == bounds)
        #expect(range?.total == total)
    }

    @Test(arguments: [
        "", "bytes", "bytes 0-9", "bytes 9-0/10", "bytes 0-10/10", "bytes -5/10", "bytes 0-/10", "bytes */*",
        "items 0-9/10",
        "bytes 0-9/ten", "bytes +0-9/10", "bytes 0-9/10/10", "bytes 0-99999999999999999999/*", "bytes 0-9/10 x",
    ])
    func whatIsNotIsRefused(text: String) { #expect(ContentRange(text) == nil) }

    private static let question: RangeQuestion = {
        var validators = DownloadValidators()
        (validators.etag, validators.ifRange) = ("\"a\"", "\"a\"")
        return RangeQuestion(start: 5, total: 10, validators: validators)
    }()

    @Test(
        arguments: [
            (206, ["Content-Range": "bytes 5-9/10"], .part(start: 5, count: 5, total: 10)),
            (206, ["Content-Range": "bytes 5-7/10"], .part(start: 5, count: 3, total: 10)),
            (206, ["Content-Range": "bytes 5-9/*", "ETag": "\"a\""], .part(start: 5, count: 5, total: 10)),
            (206, ["Content-Range": "bytes 5-9/10", "ETag": "\"b\""], .stale),
            (206, ["Content-Range": "bytes 5-10/11"], .stale), (200, [:], .whole),
            (416, ["Content-Range": "bytes */5"], .stale), (416, ["Content-Range": "bytes */10"], .stale),
            (416, [:], .stale),
            (404, [:], .other), (301, [:], .other),
        ] as [(Int, HTTPHeaders, RangeAnswer)])
    func eachAnswerHasItsMeaning(status: Int, headers: HTTPHeaders, meaning: RangeAnswer) {
        let head = ResponseHead(status: HTTPStatus(status), headers: headers)
        #expect(RangeAnswer(head, to: Self.question) == meaning)
    }

    @Test func theEndIsTheEndOnlyAtTheTotal() {
        var question = Self.question
        question.start = 10
        let head = ResponseHead(status: 416, headers: ["Content-Range": "bytes */10"])
        #expect(RangeAnswer(head, to: question) == .complete)
        question.total = nil
        #expect(RangeAnswer(head, to: question) == .complete)
    }
}
