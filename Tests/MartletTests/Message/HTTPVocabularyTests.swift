// Methods, statuses, versions and the response head.

import Testing

@testable import Martlet

@Suite struct HTTPVocabularyTests {
    @Test(arguments: [HTTPMethod.get, .head, .options, .trace, .query])
    func safeMethodIsIdempotentToo(_ method: HTTPMethod) {
        #expect(method.isSafe)
        #expect(method.isIdempotent)
    }

    @Test(arguments: [HTTPMethod.put, .delete])
    func replacingAndDeletingAreIdempotentButNotSafe(_ method: HTTPMethod) {
        #expect(!method.isSafe)
        #expect(method.isIdempotent)
    }

    @Test(arguments: [HTTPMethod.post, .patch, .connect, "PURGE", "get"])
    func otherMethodPromisesNothing(_ method: HTTPMethod) {
        #expect(!method.isSafe)
        #expect(!method.isIdempotent)
    }

    @Test(arguments: Array(0...255) as [UInt8])
    func methodHoldsTokenBytesOnly(_ byte: UInt8) {
        let allowed = Set("!#$%&'*+-.^_`|~0123456789abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ".utf8)
        #expect(HTTPSyntax.isTokenByte(byte) == allowed.contains(byte))
        #expect(HTTPSyntax.isValueByte(byte) == (byte == 9 || (byte >= 32 && byte != 127)))
        #expect(HTTPMethod("A" + latin1([byte])).isValidToken == allowed.contains(byte))
    }

    @Test func emptyMethodIsNoToken() { #expect(!HTTPMethod("").isValidToken) }

    @Test(arguments: [
        (100, "informational"), (199, "informational"), (200, "success"), (299, "success"), (304, "redirection"),
        (404, "client error"), (599, "server error"), (600, "none"), (999, "none"), (99, "none"), (-1, "none"),
    ])
    func statusHasItsClass(_ code: Int, _ name: String) {
        let status = HTTPStatus(code)
        #expect(status.isInformational == (name == "informational"))
        #expect(status.isSuccess == (name == "success"))
        #expect(status.isRedirection == (name == "redirection"))
        #expect(status.isClientError == (name == "client error"))
        #expect(status.isServerError == (name == "server error"))
    }

    @Test func statusReadsAsPeopleWriteIt() {
        #expect(HTTPStatus.notFound.description == "404 Not Found")
        #expect(HTTPStatus(799).description == "799")
        #expect(HTTPStatus.ok < .notFound)
    }

    @Test func versionsReadAsPeopleWriteThem() {
        #expect("\(HTTPVersion.http1_0) \(HTTPVersion.http1_1) \(HTTPVersion.http2)" == "HTTP/1.0 HTTP/1.1 HTTP/2")
        #expect(HTTPVersion.http1_0 < .http1_1)
        #expect(HTTPVersion.http1_1 < .http2)
    }

    @Test func headReadsAsItsLines() {
        #expect(ResponseHead(status: .ok, headers: ["A": "b"]).description == "HTTP/1.1 200 OK\nA: b")
        #expect(ResponseHead(status: 299, version: .http2).description == "HTTP/2 299")
    }
}
