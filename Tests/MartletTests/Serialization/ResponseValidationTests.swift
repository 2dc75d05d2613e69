// Which responses are taken: section 2.6 of the behaviour cases, by its numbers, and what the error of one that is not taken tells.

import Foundation
import MartletTesting
import Testing

@testable import Martlet

@Suite struct ResponseValidationTests {
    private struct Odd: Error, Equatable { var number: Int }

    private static func response(
        _ type: String?, status: HTTPStatus = 200, body: String = "{}"
    ) -> MockResponse {
        .data(Data(body.utf8), status: status, headers: type.map { ["Content-Type": $0] } ?? [:])
    }

    // C106: Alamofire takes every status until it is told otherwise. Martlet differs on purpose: what decodes does not.
    @Test func responseAndStreamTakeEveryStatus() async throws {
        let call = answering(.text("gone", status: 404)).get("/").accepting(contentTypes: []).validating { _ in
            throw Odd(number: 1)
        }
        #expect(try await call.response().status == 404)
        #expect(try await call.stream().status == 404)
    }

    // C106
    @Test(arguments: 0..<8)
    func whatDecodesDoesNot(_ way: Int) async throws {
        let call = answering(.text("gone", status: 404)).get("/")
        let error = await expectFailure(.unacceptableStatus) {
            switch way {
            case 0: _ = try await call.data()
            case 1: _ = try await call.string()
            case 2: _ = try await call.json(as: Named.self)
            case 3: try await call.discard()
            case 4: for try await _ in call.chunks {}
            case 5: for try await _ in call.lines {}
            case 6: for try await _ in call.parts {}
            default: for try await _ in call.pages(by: .data) {}
            }
        }
        #expect(error?.response?.bodyPrefix == Data("gone".utf8))
        #expect(error?.message == "The server answered 404 Not Found.")
    }

    // C108
    @Test func emptySetOfStatusesTakesNone() async throws {
        let call = answering(.text("made", status: 201)).get("/")
        await expectFailure(.unacceptableStatus) { try await call.accepting(.only()).data() }
        #expect(try await call.accepting(.only(201)).string() == "made")
        #expect(try await call.accepting(.codes(200..<202)).string() == "made")
    }

    // C109
    @Test func otherTypeIsRefusedAndBothAreNamed() async throws {
        let call = answering(Self.response("application/json", body: #"{"a": 1}"#)).get("/")
        let error = await expectFailure(.unacceptableContentType) {
            try await call.accepting(contentTypes: ["application/xml", "text/*"]).data()
        }
        #expect(error?.message == "The response is application/json, where application/xml, text/* was asked for.")
        #expect(error?.response?.bodyPrefix == Data(#"{"a": 1}"#.utf8))
        #expect(error?.request?.method == .get)
    }

    // C110, C112, C113, C114, C116, C117; C104 for the type that nobody knows and for 205.
    @Test(
        arguments: [
            ("application/json", [], false), ("application/json", ["*/*"], true),
            ("application/json", ["application/*"], true),
            ("application/json", ["*/json"], true), ("application/json", ["text/*"], false),
            ("application/json", ["text"], false),
            ("application/json", [""], false), ("text/plain", [" text/plain "], true), (nil, ["*/*"], true),
            (nil, ["text/*"], false),
            (nil, ["text/plain", "*/*"], true), ("application/json", ["application/json;q=0.9"], true),
            ("Application/JSON; charset=utf-8", ["application/json"], true),
            ("application/vnd.api+json", ["application/json"], true),
            ("nonstandard/json", ["application/json", "text/json", "text/javascript"], false), ("junk", ["*/*"], false),
            ("text/html", ["application/json"], false),
        ] as [(String?, [String], Bool)])
    func typesAreAccepted(_ type: String?, _ accepted: [String], _ isAccepted: Bool) async throws {
        let call = answering(Self.response(type)).get("/").accepting(contentTypes: accepted)
        if isAccepted {
            #expect(try await call.string() == "{}")
        } else {
            await expectFailure(.unacceptableContentType) { try await call.string() }
            await expectFailure(.unacceptableContentType) { for try await _ in call.chunks {} }
        }
    }

    // C104, C110
    @Test(arguments: [(204, "GET"), (205, "GET"), (200, "HEAD"), (200, "GET")])
    func responseWithoutABodyIsOfNoType(_ status: Int, _ method: String) async throws {
        let answer = MockResponse.status(HTTPStatus(status), headers: ["Content-Length": "0"])
        let call = answering(answer).request(HTTPMethod(method), "/")
        #expect(try await call.accepting(contentTypes: []).data().isEmpty)
        #expect(try await call.accepting(contentTypes: ["application/json"]).data().isEmpty)
        let typed = answering(answer.header("Content-Type", "nonstandard/json")).request(HTTPMethod(method), "/")
        #expect(try await typed.accepting(contentTypes: ["application/json"]).data().isEmpty)
    }

    // C116
    @Test(
        arguments: [
            ("application/json;q=0.9", true), ("text/html, application/*;q=0.1", true), ("text/html", false),
            ("*/*", true),
            ("application/json;q=0", false), ("text/html, application/json;q=0", false),
        ])
    func requestedTypesAreThoseOfAccept(_ accept: String, _ isAccepted: Bool) async throws {
        let call = answering(Self.response("application/json")).get("/").header("Accept", accept)
            .acceptingRequestedTypes()
        if isAccepted {
            #expect(try await call.string() == "{}")
        } else {
            await expectFailure(.unacceptableContentType) { try await call.string() }
        }
        // Without one of the caller's own, the terminal's.
        let html = answering(Self.response("text/html")).get("/").acceptingRequestedTypes()
        await expectFailure(.unacceptableContentType) { try await html.json() }
        #expect(try await html.string() == "{}")
    }

    // C118
    @Test func theFirstCheckThatFailsDecides() async throws {
        let call = answering(Self.response("text/html", status: 500)).get("/")
        let json = ["application/json"]
        await expectFailure(.unacceptableStatus) { try await call.accepting(contentTypes: json).data() }
        await expectFailure(.unacceptableStatus) {
            try await call.accepting(.success).accepting(contentTypes: json).data()
        }
        await expectFailure(.unacceptableContentType) {
            try await call.accepting(contentTypes: json).accepting(.success).data()
        }
        let first = await expectFailure(.validationFailed) {
            try await call.accepting(.any).validating { _ in throw Odd(number: 1) }.validating { _ in
                throw Odd(number: 2)
            }
            .accepting(contentTypes: json).data()
        }
        #expect(first?.underlying as? Odd == Odd(number: 1))
    }

    @Test func checkOfOnesOwnSeesTheHead() async throws {
        let call = answering(.text("x", headers: ["X-Version": "3"])).get("/")
        let seen = Lock(String?.none)
        let text = try await call.validating { head in seen.withLock { $0 = head.headers["X-Version"] } }.string()
        #expect(text == "x" && seen.withLock { $0 } == "3")
        let error = await expectFailure(.validationFailed) {
            for try await _ in call.validating({ throw Odd(number: $0.status.code) }).lines {}
        }
        #expect(error?.underlying as? Odd == Odd(number: 200))
        #expect(error?.response?.bodyPrefix == Data("x".utf8))
        let own = await expectFailure(.other) {
            try await call.validating { _ in throw MartletError(.other, "No.") }.data()
        }
        #expect(own?.message == "No." && own?.response?.head.status == .ok)
    }

    // C121
    @Test func checksAreNotRunAfterAnError() async throws {
        let client = answering(.failure(MartletError(.connectionClosed, "Closed.")))
        await expectFailure(.connectionClosed) {
            try await client.get("/").validating { _ in Issue.record("a check was run") }.data()
        }
        let call = answering(.never).get("/").validating { _ in Issue.record("a check was run") }
        let task = Task { try await call.data() }
        task.cancel()
        await #expect(throws: CancellationError.self) { try await task.value }
    }

    @Test func clientsChecksAreThoseOfEachCall() async throws {
        let client = answering(Self.response("text/html")).scoped {
            $0.accept(contentTypes: ["application/json"])
            $0.acceptedStatuses = .only(200)
        }
        await expectFailure(.unacceptableContentType) { try await client.get("/").data() }
        let checked = client.scoped { $0.validate { _ in throw Odd(number: 1) } }
        await expectFailure(.unacceptableContentType) { try await checked.get("/").data() }
        let other = answering(.text("x", status: 201)).scoped { $0.acceptedStatuses = .only(200) }
        await expectFailure(.unacceptableStatus) { try await other.get("/").data() }
    }
}

@Suite struct RefusedResponseTests {
    private struct Failure: Decodable, Error, Equatable { var reason: String }

    @Test func errorOfOnesOwnIsDecoded() async throws {
        let call = answering(.json(#"{"reason": "no credit"}"#, status: 402)).get("/").errors(as: Failure.self)
        for way in 0..<3 {
            let error = await expectFailure(.unacceptableStatus) {
                switch way {
                case 0: _ = try await call.data()
                case 1: try await call.discard()
                default: for try await _ in call.chunks {}
                }
            }
            #expect(error?.underlying as? Failure == Failure(reason: "no credit"))
            #expect(error?.response?.head.status == 402)
        }
        let client = answering(.json(#"{"reason": "no credit"}"#, status: 402)).scoped {
            $0.decodeErrors(as: Failure.self)
        }
        let error = await expectFailure(.unacceptableStatus) { try await client.get("/").json() }
        #expect(error?.underlying as? Failure == Failure(reason: "no credit"))
    }

    @Test(arguments: ["", "<html>", #"{"reason": 1}"#])
    func errorThatCannotBeDecodedIsLeftOut(_ body: String) async throws {
        let call = answering(.json(body, status: 500)).get("/").errors(as: Failure.self)
        let error = await expectFailure(.unacceptableStatus) { try await call.data() }
        #expect(error?.underlying == nil)
        #expect(error?.response?.bodyPrefix == Data(body.utf8))
    }

    @Test func errorIsMadeByAnySerializer() async throws {
        let call = answering(.text("down until 9", status: 503)).get("/")
            .errors(by: StringResponseSerializer().map { Failure(reason: $0) })
        let error = await expectFailure(.unacceptableStatus) { try await call.data() }
        #expect(error?.underlying as? Failure == Failure(reason: "down until 9"))
        // What was accepted is no error, whatever it holds.
        #expect(try await call.accepting(.any).string() == "down until 9")
    }

    @Test func problemIsReadAndTold() async throws {
        let body = """
            {"type": "https://example.com/probs/out-of-credit", "title": "You do not have enough credit.", "status": 403,
             "detail": "Your balance is 30.", "instance": "/account/1", "balance": 30, "accounts": ["/1", "/2"]}
            """
        let answer = MockResponse.data(
            Data(body.utf8), status: 403, headers: ["Content-Type": "Application/Problem+JSON; charset=utf-8"])
        let error = await expectFailure(.unacceptableStatus) {
            try await answering(answer).get("/").json(as: Named.self)
        }
        let problem = try #require(error?.problem)
        #expect(problem.type == "https://example.com/probs/out-of-credit")
        #expect(problem.title == "You do not have enough credit." && problem.detail == "Your balance is 30.")
        #expect(problem.status == 403 && problem.instance == "/account/1")
        #expect(problem.extensions["balance"] == 30 && problem.extensions["accounts"]?[1] == "/2")
        #expect(problem.extensions.count == 2)
        #expect(
            error?.message
                == "The server answered 403 Forbidden: You do not have enough credit.: Your balance is 30.")
    }

    /// RFC 9457, section 3.1: a member of the wrong type is as one that is not there.
    @Test(
        arguments: [
            ("{}", "about:blank", nil), (#"{"type": 1, "title": 2, "status": "3", "detail": []}"#, "about:blank", nil),
            (#"{"title": "T", "status": 1e99}"#, "about:blank", "T"),
            (#"{"type": null, "title": null}"#, "about:blank", nil),
        ] as [(String, String, String?)])
    func memberOfTheWrongKindCountsAsNotThere(_ body: String, _ type: String, _ title: String?) async throws {
        let answer = MockResponse.data(
            Data(body.utf8), status: 500, headers: ["Content-Type": "application/problem+json"])
        let error = await expectFailure(.unacceptableStatus) { try await answering(answer).get("/").data() }
        let problem = try #require(error?.problem)
        #expect(problem.type == type && problem.title == title && problem.status == nil && problem.detail == nil)
    }

    @Test(arguments: [
        ("[]", "application/problem+json"), ("{", "application/problem+json"), ("{}", "application/json"), ("{}", nil),
    ])
    func whatIsNoProblemIsNone(_ body: String, _ type: String?) async throws {
        let answer = MockResponse.data(
            Data(body.utf8), status: 500, headers: type.map { ["Content-Type": $0] } ?? [:])
        let error = await expectFailure(.unacceptableStatus) { try await answering(answer).get("/").data() }
        #expect(error?.problem == nil)
        #expect(error?.message == "The server answered 500 Internal Server Error.")
    }

    @Test func problemsTextIsOneShortLineInTheMessage() async throws {
        let title = "a\\u0000b\\u001b[31m\\nc\\u2028d" + String(repeating: "x", count: 1_000)
        let answer = MockResponse.data(
            Data("{\"title\": \"\(title)\"}".utf8), status: 500, headers: ["Content-Type": "application/problem+json"])
        let error = await expectFailure(.unacceptableStatus) { try await answering(answer).get("/").data() }
        let message = try #require(error?.message)
        #expect(message.hasPrefix("The server answered 500 Internal Server Error: a b [31m c dx"))
        #expect(message.count < 260 && message.unicodeScalars.allSatisfy { $0.value >= 0x20 && $0 != "\u{2028}" })
    }

    @Test func problemIsWrittenAsItIsRead() throws {
        let problem = ProblemDetails(title: "T", status: 404, detail: "D", instance: "/1", extensions: ["n": [1, nil]])
        let data = try JSONEncoder().encode(problem)
        #expect(try JSONDecoder().decode(ProblemDetails.self, from: data) == problem)
        #expect(
            try JSONDecoder().decode(ProblemDetails.self, from: JSONEncoder().encode(ProblemDetails()))
                == ProblemDetails())
    }

    @Test func refusedBodyIsDecodedOnDemand() async throws {
        let call = answering(.json(#"{"reason": "no"}"#, status: 409)).get("/")
        let error = await expectFailure(.unacceptableStatus) { try await call.data() }
        let failure: Failure? = try error?.response?.decode()
        #expect(failure == Failure(reason: "no"))
        #expect(throws: DecodingError.self) { try error?.response?.decode([Int].self) }
    }
}
