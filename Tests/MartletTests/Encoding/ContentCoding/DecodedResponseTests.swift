// Codings on responses: what is asked for, what is taken off and what is left as it came; the same on every transport.

#if Zlib
import Foundation
import MartletTesting
import Testing

@testable import Martlet

@Suite(.timeLimit(.minutes(5))) struct DecodedResponseTests {
    private static let coded = Coded.gzip(Coded.text)

    /// Sends what it is asked for: the path is the coding, and the body the text in gzip.
    private static let peer = Peer.answers { request in
        .data(coded, type: "text/plain", headers: ["Content-Encoding": String(request.path.dropFirst())])
    }

    // MARK: What is asked for

    @Test func justWhatIsDecodedIsAskedFor() async throws {
        let transport = MockTransport(answers: [.text("")])
        let client = MartletClient(transport: transport, baseURL: "http://a.example")
        _ = try await client.get("/").data()
        _ = try? await client.get("/").json()
        _ = try await client.get("/").header("X-Own", "1").data()
        let list = ContentCoding.decodable.map(\.name).joined(separator: ", ")
        #expect(list.hasPrefix("gzip, deflate"))
        #expect(transport.requests.map { $0.headers["Accept-Encoding"] } == [list, list, list])
    }

    @Test func theCallersListGoesOutAndItsAnswerIsNotTouched() async throws {
        for own in ["gzip", ContentCoding.acceptList ?? "", "identity", ""] {
            try await withPeer(Self.peer) { client, server in
                let response = try await client.get("/gzip").header("Accept-Encoding", own).response()
                #expect(response.body == Self.coded)
                #expect(response.headers.contentEncoding == "gzip")
                #expect(response.headers.contentLength == Self.coded.count)
                #expect(response.metrics.contentCodings.isEmpty)
                #expect(server.requests.first?.values(for: "Accept-Encoding") == [own])
            }
        }
    }

    @Test func theClientsListCountsAsTheCallers() async throws {
        try await withPeer(Self.peer, client: { $0.defaults.headers = ["Accept-Encoding": "gzip"] }) { client, _ in
            let data = try await client.get("/gzip").data()
            #expect(data == Self.coded)
        }
    }

    @Test func aCallThatWantsTheBytesAsTheyAreAsksForNoCoding() async throws {
        try await withPeer(Self.peer) { client, server in
            let response = try await client.get("/gzip").undecoded().response()
            #expect(response.body == Self.coded)
            #expect(response.headers.contentEncoding == "gzip")
            #expect(server.requests.first?.values(for: "Accept-Encoding").isEmpty == true)
        }
    }

    @Test func aClientThatWantsTheBytesAsTheyAreAsksForNoCoding() async throws {
        let change = { (configuration: inout ClientConfiguration) in
            configuration.defaults.options.contentDecoding.isEnabled = false
        }
        try await withPeer(Self.peer, client: change) { client, server in
            #expect(try await client.get("/gzip").data() == Self.coded)
            #expect(server.requests.first?.values(for: "Accept-Encoding").isEmpty == true)
            let decoded = try await client.get("/gzip").options { $0.contentDecoding.isEnabled = true }.data()
            #expect(decoded == Coded.text)
        }
    }

    @Test func aRequestMadeBeforehandIsAnsweredAlike() async throws {
        try await withPeer(Self.peer) { client, _ in
            let request = try client.get("/gzip").makeRequest()
            #expect(try await client.request(request).data() == Coded.text)
            #expect(try await client.request(request).undecoded().data() == Self.coded)
            #expect(try await client.request(request).header("Accept-Encoding", "gzip").data() == Self.coded)
        }
    }

    @Test func aPartIsAskedForAndDeliveredAsItIs() async throws {
        let peer = Peer.answers { _ in
            .data(
                Self.coded.prefix(50), status: 206,
                headers: ["Content-Encoding": "gzip", "Content-Range": "bytes 0-49/99"])
        }
        try await withPeer(peer) { client, server in
            let part = try await client.get("/").header("Range", "bytes=0-49").response()
            #expect(part.body == Self.coded.prefix(50))
            #expect(part.headers.contentEncoding == "gzip")
            #expect(try await client.get("/").response().body == Self.coded.prefix(50))
            #expect(server.requests.map { $0["Accept-Encoding"] } == ["identity", ContentCoding.acceptList])
        }
    }

    // MARK: What is taken off

    @Test(arguments: ["gzip", "GZip", "x-gzip", " gzip ", "identity, gzip", "gzip,", "gzip, identity"])
    func aNameIsReadWithoutRegardToCase(_ name: String) async throws {
        let transport = MockTransport(answers: [.data(Self.coded, headers: ["Content-Encoding": name])])
        let client = MartletClient(transport: transport, baseURL: "http://a.example")
        let response = try await client.get("/").response()
        #expect(response.body == Coded.text)
        #expect(response.headers.contentEncoding == nil)
        #expect(response.headers.contentLength == nil)
        #expect(response.metrics.contentCodings == [.gzip])
    }

    @Test(arguments: Coded.cases) func eachCodingIsTakenOff(_ coded: CodedCase) async throws {
        let peer = Peer.answers { _ in .data(coded.bytes, headers: ["Content-Encoding": coded.coding.name]) }
        let data = try await withPeer(peer) { client, _ in try await client.get("/").data() }
        #expect(data == Coded.text)
    }

    @Test(arguments: ["identity", "", "compress", "utf-8", "gzip, compress", "compress, gzip", "none, none, none"])
    func whatIsNotKnownIsDeliveredAsItCame(_ name: String) async throws {
        let transport = MockTransport(answers: [.data(Self.coded, headers: ["Content-Encoding": name])])
        let client = MartletClient(transport: transport, baseURL: "http://a.example")
        let response = try await client.get("/").response()
        #expect(response.body == Self.coded)
        #expect(response.headers.contentEncoding == name)
        #expect(response.headers.contentLength == Self.coded.count)
    }

    @Test(arguments: ["compress", "gzip, compress", "GZIP"])
    func whatCannotBeReadBecauseOfItsCodingSaysSo(_ name: String) async throws {
        let transport = MockTransport { _ in .data(Self.coded, headers: ["Content-Encoding": name]) }
        let client = MartletClient(transport: transport, baseURL: "http://a.example")
        // A caller's own list leaves the body as it is, whatever it is in.
        let call = client.get("/").header("Accept-Encoding", "*")
        for way in 0..<4 {
            let error = await expectFailure(.decodingFailed) {
                switch way {
                case 0: _ = try await call.json(as: [Int].self)
                case 1: _ = try await call.string()
                case 2: _ = try await call.serialized(by: .form([Int].self))
                default: _ = try await call.response().serialized(by: .json([Int].self))
                }
            }
            #expect(error?.message.contains("Content-Encoding \(name),") == true)
            #expect(error?.response != nil || way == 3)
        }
        let plain = MartletClient(transport: MockTransport { _ in .text("x") }, baseURL: "http://a.example")
        let error = await expectFailure(.decodingFailed) { try await plain.get("/").json(as: [Int].self) }
        #expect(error?.message.contains("Content-Encoding") == false)
    }

    @Test func threeCodingsAreTakenOff() async throws {
        let thrice = Coded.gzip(Coded.zlib(Coded.gzip(Coded.text)))
        let peer = Peer.answers { _ in
            .data(thrice, headers: ["Content-Encoding": "gzip, deflate", "content-encoding": "gzip"])
        }
        try await withPeer(peer) { client, _ in
            let response = try await client.get("/").response()
            #expect(response.body == Coded.text)
            #expect(response.metrics.contentCodings == [.gzip, .deflate, .gzip])
        }
    }

    @Test(arguments: [
        "gzip, gzip, gzip, gzip", "a, b, c, d", Array(repeating: "gzip", count: 8_000).joined(separator: ","),
    ])
    func moreThanThreeAreRefused(_ list: String) async throws {
        let peer = Peer.answers { _ in .data(Self.coded, headers: ["Content-Encoding": list]) }
        try await withPeer(peer) { client, server in
            let error = await expectFailure(.tooManyContentCodings) { try await client.get("/").response() }
            #expect(error?.mayHaveReachedServer == true)
            #expect(error?.request?.method == .get)
            #expect(error?.response?.head.status == .ok)
            try await client.waitUntil { $0.exchanges == 0 }
        }
    }

    @Test(arguments: [204, 304]) func aStatusWithoutABodyKeepsItsFields(_ status: Int) async throws {
        let peer = Peer.answers { _ in .status(status, headers: ["Content-Encoding": "gzip"]) }
        try await withPeer(peer) { client, _ in
            let response = try await client.get("/").response()
            #expect(response.body.isEmpty)
            #expect(response.headers.contentEncoding == "gzip")
        }
    }

    @Test func anAnswerToHeadKeepsItsFields() async throws {
        let head = "HTTP/1.1 200 OK\r\nContent-Encoding: gzip\r\nContent-Length: 700\r\n\r\n"
        try await withPeer(.saysAndStays(head)) { client, _ in
            let response = try await client.head("/").response()
            #expect(response.body.isEmpty)
            #expect(response.headers.contentEncoding == "gzip")
            #expect(response.headers.contentLength == 700)
        }
    }

    @Test(arguments: ["gzip", "deflate", "gzip, deflate"]) func anEmptyBodyIsEmptyInAnyCoding(_ name: String)
        async throws
    {
        let peer = Peer.answers { _ in .status(200, headers: ["Content-Encoding": name]) }
        let data = try await withPeer(peer) { client, _ in try await client.get("/").data() }
        #expect(data.isEmpty)
    }

    // MARK: Views

    @Test func everyViewOfABodyIsDecoded() async throws {
        let lines = String(decoding: Coded.text, as: UTF8.self).split(separator: "\n").map(String.init)
        try await withPeer(Self.peer) { client, server in
            let call = client.get("/gzip")
            #expect(try await call.data() == Coded.text)
            #expect(try await call.string() == lines.map { $0 + "\n" }.joined())
            var bytes = Data()
            for try await chunk in call.chunks { bytes += chunk }
            #expect(bytes == Coded.text)
            var count = 0
            for try await _ in call.bytes { count += 1 }
            #expect(count == Coded.text.count)
            var read: [String] = []
            for try await line in call.lines { read.append(line) }
            #expect(read == lines)
            var streamed = Data()
            for try await chunk in try await call.stream().body.stream { streamed += chunk }
            #expect(streamed == Coded.text)
            // Read to its end, each body leaves its connection to the next.
            #expect(server.connectionCount == 1)
        }
    }

    @Test func jsonAndPartsAreDecoded() async throws {
        let parts = Coded.gzip(Data("--B\r\n\r\none\r\n--B\r\n\r\ntwo\r\n--B--".utf8))
        let transport = MockTransport { request in
            request.path == "/json"
                ? .data(Coded.zlib(Data(#"{"a": [1]}"#.utf8)), headers: ["Content-Encoding": "deflate"])
                : .data(parts, type: "multipart/mixed; boundary=B", headers: ["Content-Encoding": "gzip"])
        }
        let client = MartletClient(transport: transport, baseURL: "http://a.example")
        #expect(try await client.get("/json").json() == ["a": [1]])
        var seen: [String] = []
        for try await part in client.get("/parts").parts { seen.append(try await part.text()) }
        #expect(seen == ["one", "two"])
    }

    @Test func aRefusedAnswerShowsItsDecodedBody() async throws {
        let peer = Peer.answers { _ in .data(Self.coded, status: 500, headers: ["Content-Encoding": "gzip"]) }
        try await withPeer(peer) { client, _ in
            let error = await expectFailure(.unacceptableStatus) { try await client.get("/").data() }
            #expect(error?.response?.bodyPrefix == Coded.text)
        }
    }

    @Test func bytesAreCountedOnBothSides() async throws {
        try await withPeer(Self.peer) { client, _ in
            let response = try await client.get("/gzip").response()
            #expect(response.metrics.bodyBytesReceived == Self.coded.count)
            #expect(response.metrics.bodyBytesDecoded == Coded.text.count)
            #expect(response.metrics.total != nil)
            let plain = try await client.get("/identity").response()
            #expect(plain.metrics.bodyBytesReceived == Self.coded.count)
            #expect(plain.metrics.bodyBytesDecoded == Self.coded.count)
            let streamed = try await client.get("/gzip").stream()
            #expect(streamed.body.metrics?.bodyBytesDecoded == 0)
            for try await _ in streamed.body {}
            #expect(streamed.body.metrics?.bodyBytesDecoded == Coded.text.count)
            #expect(streamed.body.metrics?.contentCodings == [.gzip])
        }
        let transport = MockTransport(answers: [.data(Self.coded, headers: ["Content-Encoding": "gzip"])])
        let mocked = try await MartletClient(transport: transport, baseURL: "http://a.example").get("/").response()
        #expect(mocked.metrics.bodyBytesReceived == Self.coded.count)
        #expect(mocked.metrics.bodyBytesDecoded == Coded.text.count)
    }

    /// With layers to walk and without: the user's own see the body without its coding, those of an attempt with it.
    @Test(arguments: [false, true]) func layersSeeTheBodyOnTheirSideOfTheDecoding(_ redirects: Bool) async throws {
        let peer = Peer.answers { request in
            redirects && request.path == "/"
                ? .redirect(to: "/gzip").header("Content-Encoding", "gzip")
                : .data(Self.coded, headers: ["Content-Encoding": "gzip"])
        }
        let seen = Collected<String>()
        try await withPeer(peer) { client, _ in
            let bare = try await client.get("/").response()
            #expect(bare.body == Coded.text)
            #expect(bare.headers.contentEncoding == nil)
        }
        let change = { (configuration: inout ClientConfiguration) in
            configuration.defaults.interceptors = [
                .interceptor { request, next in
                    let response = try await next(request)
                    seen.append("call \(response.headers.contentEncoding ?? "-")")
                    return response
                }
            ]
            configuration.defaults.attemptInterceptors = [
                .interceptor { request, next in
                    let response = try await next(request)
                    seen.append("attempt \(response.headers.contentEncoding ?? "-")")
                    return response
                }
            ]
        }
        try await withPeer(peer, client: change) { client, _ in
            let walked = try await client.get("/").response()
            #expect(walked.body == Coded.text)
            #expect(walked.metrics.contentCodings == [.gzip])
        }
        #expect(seen.values == (redirects ? ["attempt gzip"] : []) + ["attempt gzip", "call -"])
    }

    @Test func trailersOfACodedBodyAreThere() async throws {
        var answer = TestResponse(status: 200, headers: ["Content-Encoding": "gzip"], body: .chunked([Self.coded]))
        answer.trailers = [.init("X-Sum", "1")]
        try await withPeer(.answers { [answer] _ in answer }) { client, _ in
            let response = try await client.get("/").response()
            #expect(response.body == Coded.text)
            #expect(response.trailers?["X-Sum"] == "1")
        }
    }
}
#endif
