import MartletTesting
import Testing

@Suite struct TestServerTests {
    @Test func servesARequest() async throws {
        let server = try await TestServer.serve { _ in .text("hi") }
        let client = try RawClient(port: server.port)
        try client.send("GET /a?b=c%20d HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n")
        let text = try client.readToEnd()
        #expect(text.hasSuffix("\r\n\r\nhi"))
        #expect(server.requests.count == 1)
        await server.stop()
    }
}
