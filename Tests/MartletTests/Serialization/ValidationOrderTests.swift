// When a response is judged: at its head, before a byte of it is used. Sections 2.6 and 2.5 of the behaviour cases, by their numbers.

import Foundation
import MartletTesting
import Testing

@testable import Martlet

@Suite struct ValidationOrderTests {
    private struct Refused: Error, Equatable {}

    // C120: Alamofire's checks of a download look into its file, which may be missing. Martlet differs on purpose: a check sees the
    // head, before there is a byte to put into a file.
    @Test(arguments: [nil, "application/json"]) func noByteIsGivenBeforeTheChecks(_ type: String?) async throws {
        let client = answering(.text("content", headers: ["Content-Type": "text/plain"]))
        let refusing = client.get("/").validating { _ in throw Refused() }
        let call = type.map { client.get("/").accepting(contentTypes: [$0]) } ?? refusing
        var chunks = 0
        let error = await expectFailure(type == nil ? .validationFailed : .unacceptableContentType) {
            for try await _ in call.chunks { chunks += 1 }
        }
        #expect(chunks == 0)
        #expect(error?.response?.bodyPrefix == Data("content".utf8))
        #expect(type != nil || error?.underlying is Refused)
    }

    // C104: a 205 has no body, and one that comes all the same needs no type.
    @Test func aResponseWithoutABodyNeedsNoType() async throws {
        let typed = answering(.data(Data("{}".utf8), headers: ["Content-Type": "nonstandard/json"])).get("/")
        await expectFailure(.unacceptableContentType) {
            try await typed.accepting(contentTypes: ["application/json"]).data()
        }
        for (text, isValid) in [("{}", true), ("{", false)] {
            let call = answering(.data(Data(text.utf8), status: 205)).get("/")
                .accepting(contentTypes: ["application/json"])
            #expect(try await call.data() == Data(text.utf8))
            let value = try? await call.json()
            #expect((value != nil) == isValid)
        }
    }

    // C106, C118: the status that is looked at by itself comes where it was asked for.
    @Test func eachCheckIsAskedOnceAndInOrder() async throws {
        let asked = Collected<Int>()
        let call = answering(.text("x")).get("/").validating { _ in asked.append(1) }.validating { _ in asked.append(2)
        }
        #expect(try await call.string() == "x")
        #expect(asked.values == [1, 2])
    }
}
