// Header fields as they go on the wire: the cases of Alamofire's tests (C060 to C068), in Martlet's shape. Where Martlet differs on
// purpose the test says so.

import Foundation
import Martlet
import MartletTesting
import Testing

@Suite("Header fields on the wire", .timeLimit(.minutes(5))) struct HeaderFieldTests {
    /// The fields of one GET as the server saw them.
    private func fields(
        of change: @Sendable (Call) -> Call = { $0 }, client: @Sendable (inout ClientConfiguration) -> Void = { _ in }
    ) async throws -> [RecordedRequest.Field] {
        try await withPeer(.answers { _ in .ok }, client: client) { client, server in
            try await change(client.get("/")).discard()
            return server.requests.first?.fields ?? []
        }
    }

    // C060
    @Test func namesThatDifferInCaseAreOneField() async throws {
        let sent = try await fields { $0.header("key", "").header("Key", "").header("KEY", "") }
        #expect(sent.filter { $0.name.lowercased() == "key" }.map(\.value) == [""])
    }

    // C061
    @Test func fieldsKeepTheOrderInWhichTheyWereSet() async throws {
        let sent = try await fields { $0.header("B", "1").header("A", "2").header("C", "3") }
        #expect(sent.map(\.name).filter { ["A", "B", "C"].contains($0) } == ["B", "A", "C"])
        var headers: HTTPHeaders = ["B": "1", "A": "2", "C": "3"]
        headers.sort()
        #expect(headers.map(\.name) == ["A", "B", "C"])
    }

    // C062
    @Test func aFieldThatIsSetAgainKeepsItsPlaceAndTakesTheNewSpelling() async throws {
        let sent = try await fields { $0.header("a", "a").header("b", "b").header("c", "c").header("B", "B") }
        #expect(
            sent.filter { "abcB".contains($0.name) } == [.init("a", "a"), .init("B", "B"), .init("c", "c")])
    }

    // C064: Alamofire sends `Accept-Encoding: br;q=1.0, gzip;q=0.9, deflate;q=0.8` and the user's languages. Martlet differs on
    // purpose: it names only what the transport decodes, and no language, for a server has no user whose languages to tell.
    @Test func nothingIsSaidOfLanguagesAndOfCodingsOnlyWhatIsDecoded() async throws {
        let sent = try await fields()
        #expect(!sent.contains { $0.name.lowercased() == "accept-language" })
        let codings = sent.filter { $0.name.lowercased() == "accept-encoding" }.map(\.value).joined()
        #expect(!codings.contains("br;") && !codings.contains("q="))
    }

    @Test func languagesInOrderOfPreferenceCanBeSet() async throws {
        let languages = ["de", "en", "fr", "it", "es", "pt", "nl"]
        let sent = try await fields { $0.headers([.acceptLanguage(preferring: languages)]) }
        let value = sent.first { $0.name == "Accept-Language" }?.value
        #expect(
            value?.hasPrefix("de;q=1.0, en;q=0.9, fr;q=0.8") == true
                || value?.hasPrefix("de, en;q=0.9, fr;q=0.8") == true)
    }

    // C065: Alamofire's User-Agent tells the program, its build and the system's version. Martlet differs on purpose: the library
    // and its version, and nothing about the machine.
    @Test func theUserAgentIsTheLibraryAndItsVersion() async throws {
        let sent = try await fields()
        #expect(sent.filter { $0.name == "User-Agent" }.map(\.value) == ["Martlet/\(MartletClient.version)"])
    }

    @Test func theUserAgentCanBeSetOrLeftOut() async throws {
        let own = try await fields(of: { $0.header("user-agent", "mine") })
        #expect(own.filter { $0.name.lowercased() == "user-agent" }.map(\.value) == ["mine"])
        let service = try await fields(client: { $0.defaults.userAgent = "service/2" })
        #expect(service.first { $0.name == "User-Agent" }?.value == "service/2")
        let none = try await fields(client: { $0.defaults.userAgent = nil })
        #expect(!none.contains { $0.name.lowercased() == "user-agent" })
    }

    // C066
    @Test func basicCredentialsAreEncoded() async throws {
        let sent = try await fields { $0.headers([.basic(user: "user", password: "password")]) }
        #expect(sent.first { $0.name == "Authorization" }?.value == "Basic dXNlcjpwYXNzd29yZA==")
    }

    // C068
    @Test func theClientsFieldsAreSentUnlessTheCallSetsItsOwn() async throws {
        let client: @Sendable (inout ClientConfiguration) -> Void = {
            $0.defaults.headers = ["X-One": "1", "X-Two": "2"]
        }
        let sent = try await fields(of: { $0.header("x-two", "own").header("X-Three", "3") }, client: client)
        #expect(
            sent.filter { $0.name.lowercased().hasPrefix("x-") }
                == [.init("X-One", "1"), .init("x-two", "own"), .init("X-Three", "3")])
    }

    @Test func aFieldThatIsTakenOutLeavesTheClientsDefault() async throws {
        let client: @Sendable (inout ClientConfiguration) -> Void = { $0.defaults.headers = ["X-One": "1"] }
        let sent = try await fields(of: { $0.header("X-One", "own").header("X-One", nil) }, client: client)
        #expect(sent.filter { $0.name == "X-One" }.map(\.value) == ["1"])
    }

    @Test func severalFieldsOfOneNameAreSentAsSeveral() async throws {
        let sent = try await fields { call in
            var headers = HTTPHeaders()
            headers.append("Link", "<a>")
            headers.append("Link", "<b>")
            return call.headers(headers)
        }
        #expect(sent.filter { $0.name == "Link" }.map(\.value) == ["<a>", "<b>"])
    }

    @Test func severalFieldsOfOneNameAreReceivedAsSeveral() async throws {
        let answer = TestResponse.ok.header("Set-Cookie", "a=1").header("Link", "<x>").header("set-cookie", "b=2")
        try await withPeer(.answers { _ in answer }) { client, _ in
            let response = try await client.get("/").response()
            #expect(response.headers.values(for: "SET-COOKIE") == ["a=1", "b=2"])
            #expect(response.headers["link"] == "<x>")
        }
    }

    @Test func valuesKeepTheirBytesBothWays() async throws {
        let text = "caf\u{E9} \u{1F600} \t end"
        try await withPeer(.answers { _ in TestResponse.ok.header("X-Text", text) }) { client, server in
            let response = try await client.get("/").header("X-Text", text).response()
            #expect(server.requests.first?["X-Text"] == text)
            #expect(response.headers["X-Text"] == text)
        }
    }

    @Test func acceptFollowsTheTerminal() async throws {
        try await withPeer(.answers { .text("\"\($0["Accept"] ?? "")\"") }) { client, _ in
            let json: String = try await client.get("/").json()
            #expect(json == "application/json")
            let text = try await client.get("/").string()
            #expect(text == "\"*/*\"")
            let own: String = try await client.get("/").header("Accept", "text/x").json()
            #expect(own == "text/x")
        }
    }

    @Test func hostIsTheURLsAndComesFirst() async throws {
        try await withPeer(.answers { _ in .ok }) { client, server in
            try await client.get("/").header("A", "b").discard()
            #expect(server.requests.first?.fields.first == .init("Host", "127.0.0.1:\(server.port)"))
        }
    }

    @Test(arguments: [HTTPMethod.post, .put, .patch]) func aMethodWithContentSaysThatThereIsNone(
        _ method: HTTPMethod
    ) async throws {
        try await withPeer(.answers { _ in .ok }) { client, server in
            try await client.request(method, "/").discard()
            #expect(server.requests.first?.values(for: "Content-Length") == ["0"])
        }
    }

    @Test(arguments: [HTTPMethod.get, .head, .delete, .options]) func aMethodWithoutContentSaysNothing(
        _ method: HTTPMethod
    ) async throws {
        try await withPeer(.answers { _ in .ok }) { client, server in
            try await client.request(method, "/").discard()
            #expect(server.requests.first?["Content-Length"] == nil)
            #expect(server.requests.first?["Transfer-Encoding"] == nil)
        }
    }
}
