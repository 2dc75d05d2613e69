// Signature Version 4 by the rules that AWS publishes: the examples of its documentation and the inputs of its test suite, with
// signatures that an independent computation (Python's hmac) gives as well.

import Foundation
import MartletTesting
import Testing

@testable import Martlet

#if SocketTransport && os(Linux)
@Suite struct SigV4Tests {
    private static let suite = AWSCredentials(
        accessKeyID: "AKIDEXAMPLE", secretAccessKey: "wJalrXUtnFEMI/K7MDENG+bPxRfiCYEXAMPLEKEY")
    private static let guide = AWSCredentials(
        accessKeyID: "AKIAIOSFODNN7EXAMPLE", secretAccessKey: "wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY")
    private static let suiteDate = Date(timeIntervalSince1970: 1_440_938_160)
    private static let guideDate = Date(timeIntervalSince1970: 1_369_353_600)
    private static let bucket = "https://examplebucket.s3.amazonaws.com"

    private static func request(
        _ method: HTTPMethod, _ url: String, _ headers: HTTPHeaders = [:], body: RequestBody = .empty
    ) throws -> Request {
        Request(method: method, url: try RequestURL(url), headers: headers, body: body)
    }

    private static func signature(_ request: Request) -> String? {
        request.headers["Authorization"]?.split(separator: "Signature=").last.map(String.init)
    }

    struct Case: Sendable, CustomTestStringConvertible {
        var name: String
        var method: HTTPMethod = .get
        var target = "/"
        var headers: HTTPHeaders = [:]
        var body = ""
        var twice = false
        let signature: String
        var testDescription: String { name }
    }

    private static let unreserved = "-._~0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz"

    @Test(arguments: [
        Case(name: "get", signature: "5fa00fa31553b73ebf1942676e86291e8372ff2a2260956d9b8aae1d763fbf31"),
        Case(
            name: "post", method: .post, signature: "5da7c1a2acd57cee7505fc6676e4e544621c30862966e37dddb68e92efbe5d6b"),
        Case(
            name: "query", target: "/?Param1=value1&Param2=value2",
            signature: "b97d918cfa904a5beff61c982a1b6f458b799221646efd99d3219ec94cdf2500"),
        Case(
            name: "query in another order", target: "/?Param2=value2&Param1=value1",
            signature: "b97d918cfa904a5beff61c982a1b6f458b799221646efd99d3219ec94cdf2500"),
        Case(
            name: "query of unreserved characters", target: "/?\(unreserved)=\(unreserved)",
            signature: "9c3e54bfcdf0b19771a7f523ee5669cdf59bc7cc0884027167c21bb143a40197"),
        Case(
            name: "path beyond ASCII", target: "/ሴ",
            signature: "8318018e0b0f223aa2bbf98705b62bb787dc9c0e678f255a891fd03141be5d85"),
        Case(
            name: "form", method: .post, headers: ["Content-Type": "application/x-www-form-urlencoded"],
            body: "Param1=value1", signature: "ff11897932ad3f4e8b18135d722051e5ac45fc38421b1da7b9d196a0fe09473a"),
        Case(
            name: "field of several values",
            headers: [
                .init("My-Header1", "value4"), .init("My-Header1", "value1"), .init("My-Header1", "value3"),
                .init("My-Header1", "value2"),
            ], signature: "08c7e5a9acfcfeb3ab6b2185e75ce8b1deb5e634ec47601a50643f830c755c01"),
        Case(
            name: "space in fields", headers: ["My-Header1": " value1", "My-Header2": "\"a   b   c\""],
            signature: "acc3ed3afb60bb290fc8d2dd0098b9911fcaa05412b367055dee359757a9c736"),
        Case(
            name: "escapes in the path", target: "/a%20b/c", twice: true,
            signature: "38716947ba65b7b62d1fac41d2244cf69dad6f76e6fa83456331ce9315514e6f"),
        Case(
            name: "names that come again", target: "/?b=2&a=1&a=0&c", twice: true,
            signature: "6a43bb039df3ce08c5916bfe3f8d26a00e907d48af1a9557dc88e19d0523d720"),
    ])
    func theInputsOfTheSuite(test: Case) async throws {
        var signer = SigV4Signer(Self.suite, region: "us-east-1", service: "service")
        // The suite's paths are not escaped yet.
        signer.escapesPathTwice = test.twice
        let body = test.body.isEmpty ? RequestBody.empty : .data(Data(test.body.utf8))
        let request = try Self.request(
            test.method, "https://example.amazonaws.com\(test.target)", test.headers, body: body)
        let signed = try await signer.signed(request, at: Self.suiteDate)
        #expect(Self.signature(signed) == test.signature)
        #expect(
            signed.headers["Authorization"]?.hasPrefix(
                "AWS4-HMAC-SHA256 Credential=AKIDEXAMPLE/20150830/us-east-1/service/aws4_request, SignedHeaders=")
                == true)
        #expect(signed.headers["X-Amz-Date"] == "20150830T123600Z")
    }

    /// S3 API Reference, "Examples: Signature Calculations".
    @Test(arguments: [
        Case(
            name: "object", target: "/test.txt", headers: ["Range": "bytes=0-9"],
            signature: "f0e8bdb87c964420e857bd35b5d6ed310bd44f0170aba48dd91039c6036bdb41"),
        Case(
            name: "put", method: .put, target: "/test%24file.text",
            headers: ["Date": "Fri, 24 May 2013 00:00:00 GMT", "x-amz-storage-class": "REDUCED_REDUNDANCY"],
            body: "Welcome to Amazon S3.", signature: "98ad721746da40c64f1a55b78f14c238d841ea1380cd77a1b5971af0ece108bd"
        ),
        Case(
            name: "lifecycle", target: "/?lifecycle",
            signature: "fea454ca298b7da1c68078a5d1bdbfbbe0d65c699e0f91ac7a200a0136783543"),
        Case(
            name: "list", target: "/?max-keys=2&prefix=J",
            signature: "34b48302e7b5fa45bde8084f4b7868a86f0a534bc59db6670ed5711ef69dc6f7"),
    ])
    func theExamplesOfTheGuide(test: Case) async throws {
        let signer = SigV4Signer(Self.guide, region: "us-east-1", service: "s3")
        let body = test.body.isEmpty ? RequestBody.empty : .data(Data(test.body.utf8))
        let request = try Self.request(test.method, Self.bucket + test.target, test.headers, body: body)
        let signed = try await signer.signed(request, at: Self.guideDate)
        #expect(Self.signature(signed) == test.signature)
    }

    @Test func thePresignedExampleOfTheGuide() async throws {
        var signer = SigV4Signer(Self.guide, region: "us-east-1", service: "s3")
        signer.now = { Self.guideDate }
        let url = try await signer.presigned("\(Self.bucket)/test.txt", lifetime: .seconds(86_400))
        #expect(
            url.description == "\(Self.bucket)/test.txt?X-Amz-Algorithm=AWS4-HMAC-SHA256&"
                + "X-Amz-Credential=AKIAIOSFODNN7EXAMPLE%2F20130524%2Fus-east-1%2Fs3%2Faws4_request&"
                + "X-Amz-Date=20130524T000000Z&X-Amz-Expires=86400&X-Amz-SignedHeaders=host&"
                + "X-Amz-Signature=aeeed9bbccd4d02ee5c0109b86d86835f995330da4c265957d157751f604d404")
        #expect(!url.redactedDescription.contains("aeeed9"))
    }

    @Test(arguments: [Duration.zero, .seconds(604_801), .seconds(-1)])
    func aPresignedURLIsGoodForAWeekAtMost(lifetime: Duration) async {
        let signer = SigV4Signer(Self.guide, region: "us-east-1", service: "s3")
        await expectFailure(.invalidRequest) { try await signer.presigned(Self.bucket, lifetime: lifetime) }
    }

    // MARK: As a layer

    private func bucket(_ transport: MockTransport, _ signer: SigV4Signer) -> MartletClient {
        MartletClient.mocked(transport) {
            $0.defaults.baseURL = Self.bucket
            $0.defaults.attemptInterceptors = [signer]
            $0.defaults.retry = .idempotent
            $0.wallTime = { Self.guideDate }
        }
    }

    @Test func eachAttemptIsSigned() async throws {
        let transport = MockTransport(answers: [.status(503), .ok])
        _ = try await bucket(transport, SigV4Signer(Self.guide, region: "us-east-1", service: "s3")).get("/a")
            .response()
        #expect(transport.requests.count == 2)
        #expect(transport.requests.allSatisfy { $0.headers.values(for: "Authorization").count == 1 })
        #expect(transport.requests.allSatisfy { $0.headers["X-Amz-Date"] == "20130524T000000Z" })
    }

    @Test func whatWasRedirectedElsewhereIsNot() async throws {
        let key = AWSCredentials(accessKeyID: "ID", secretAccessKey: "canary", sessionToken: "canary-token")
        let transport = MockTransport(answers: [
            .redirect(to: "/b"), .redirect(to: "https://other.example/"), .redirect(to: "\(Self.bucket)/c"), .ok,
        ])
        _ = try await bucket(transport, SigV4Signer(key, region: "us-east-1", service: "s3")).get("/a").response()
        #expect(transport.requests.map { $0.headers.contains("Authorization") } == [true, true, false, false])
        #expect(
            transport.requests.map { $0.headers["X-Amz-Security-Token"] } == ["canary-token", "canary-token", nil, nil])
        #expect(!transport.requests.contains { "\($0.headers.dictionary)".contains("canary,") })
    }

    @Test(arguments: [
        (SigV4Signer.Payload.signed, false), (.unsigned, true), (.unsignedStreams, true),
    ])
    func streamsAreSignedOrNot(payload: SigV4Signer.Payload, isUnsigned: Bool) async throws {
        var signer = SigV4Signer(Self.guide, region: "us-east-1", service: "s3")
        signer.payload = payload
        let transport = MockTransport { _ in .ok }
        let client = bucket(transport, signer)
        let stream = RequestBody.stream {
            AsyncStream {
                $0.yield(Data("abc".utf8)); $0.finish()
            }
        }
        _ = try await client.put("/a").body(stream).response()
        _ = try await client.put("/a").body(data: Data("abc".utf8)).response()
        let hash = "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"
        #expect(
            transport.requests.map { $0.headers["X-Amz-Content-Sha256"] } == [
                isUnsigned ? "UNSIGNED-PAYLOAD" : hash, payload == .unsigned ? "UNSIGNED-PAYLOAD" : hash,
            ])
        #expect(transport.requests.allSatisfy { $0.body == Data("abc".utf8) })
    }

    @Test func aBodyThatCanBeReadOnceIsNotSigned() async throws {
        let transport = MockTransport { _ in .ok }
        let body = RequestBody.oneShot(AsyncStream<Data> { $0.finish() })
        var signer = SigV4Signer(Self.guide, region: "us-east-1", service: "s3")
        let strict = bucket(transport, signer)
        await expectFailure(.bodyNotReplayable) { try await strict.put("/").body(body).response() }
        signer.payload = .unsignedStreams
        #expect(try await bucket(transport, signer).put("/").body(body).response().status == 200)
    }

    private struct NoKey: Error {}

    @Test func aKeyThatCannotBeHadEndsTheCall() async throws {
        let transport = MockTransport { _ in .ok }
        let signer = SigV4Signer(region: "us-east-1", service: "s3") { throw NoKey() }
        let error = await expectFailure(.authenticationFailed) {
            try await bucket(transport, signer).get("/").response()
        }
        #expect(error?.underlying is NoKey)
        #expect(transport.requests.isEmpty)
    }

    @Test func theKeyIsInNoText() {
        let signer = SigV4Signer(
            AWSCredentials(accessKeyID: "ID", secretAccessKey: "canary", sessionToken: "canary"), region: "r",
            service: "s")
        var text = "\(signer)"
        dump(signer, to: &text)
        #expect(!text.contains("canary"))
    }
}
#endif
