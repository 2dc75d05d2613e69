// Lists of many pages: how one leads to the next, what ends them, and who gets the credentials.

import Foundation
import MartletTesting
import Testing

@testable import Martlet

@Suite struct PaginationTests {
    private static let pages = Pagination<[Int]>.link()

    /// A client whose server answers by the target of the request; what was asked for is kept.
    private func client(
        _ answer: @escaping @Sendable (_ url: String) -> MockResponse
    ) -> (MartletClient, Lock<[Request]>) {
        let requests = Lock([Request]())
        let transport = MockTransport { request in
            requests.withLock { $0.append(request.request) }
            return answer("\(request.request.url)")
        }
        return (MartletClient(transport: transport, baseURL: "https://a.example/v1"), requests)
    }

    private static func page(_ numbers: [Int], next: String? = nil) -> MockResponse {
        .json("\(numbers)", headers: next.map { ["Link": "<\($0)>; rel=\"next\""] } ?? [:])
    }

    private static func urls(_ requests: Lock<[Request]>) -> [String] { requests.withLock { $0.map { "\($0.url)" } } }

    @Test func linksAreFollowedToTheEnd() async throws {
        let (client, requests) = client { url in
            switch url {
            case "https://a.example/v1/users?size=2": Self.page([1, 2], next: "?page=2&size=2")
            case "https://a.example/v1/users?page=2&size=2": Self.page([3, 4], next: "https://a.example/v1/users/last")
            default: Self.page([5])
            }
        }
        var numbers: [Int] = []
        for try await page in client.get("/v1/users").query("size", 2).header("X-Own", "1").pages(of: [Int].self) {
            numbers += page.body
        }
        #expect(numbers == [1, 2, 3, 4, 5])
        #expect(
            Self.urls(requests) == [
                "https://a.example/v1/users?size=2", "https://a.example/v1/users?page=2&size=2",
                "https://a.example/v1/users/last",
            ])
        #expect(requests.withLock { $0.allSatisfy { $0.headers["X-Own"] == "1" } })
    }

    @Test func cursorGoesIntoTheQueryInPlaceOfTheLast() async throws {
        struct Page: Decodable { var items: [Int]; var next: String? }
        let (client, requests) = client { url in
            switch url {
            case "https://a.example/v1/list?q=x": .json(#"{"items": [1], "next": "a b&c"}"#)
            case "https://a.example/v1/list?q=x&cursor=a%20b%26c": .json(#"{"items": [2], "next": "d"}"#)
            default: .json(#"{"items": [3]}"#)
            }
        }
        var numbers: [Int] = []
        let call = client.get("list?q=x")
        for try await page in call.pages(of: Page.self, next: .cursor("cursor") { $0.body.next }) {
            numbers += page.body.items
        }
        #expect(numbers == [1, 2, 3])
        #expect(Self.urls(requests).last == "https://a.example/v1/list?q=x&cursor=d")
        numbers = []
        for try await page in call.pages(of: Page.self, next: .link { $0.body.next.map { "?cursor=\($0.prefix(1))" } })
        {
            numbers += page.body.items
        }
        #expect(numbers == [1, 3])
    }

    @Test func numberCountsUpToTheFirstEmptyPage() async throws {
        let (client, requests) = client { $0.hasSuffix("page=3") ? Self.page([]) : Self.page([7]) }
        var count = 0
        for try await page in client.get("list?page=9&x=1").pages(of: [Int].self, next: .counter("page")) {
            count += page.body.count
        }
        #expect(count == 2)
        #expect(
            Self.urls(requests).map { $0.split(separator: "?").last } == ["x=1&page=1", "x=1&page=2", "x=1&page=3"])
        requests.withLock { $0 = [] }
        let offsets = Pagination<[Int]>.counter("offset", from: 0, step: 50) { $0.url.query != "offset=100" }
        for try await _ in client.get("list").pages(of: [Int].self, next: offsets) {}
        #expect(Self.urls(requests).map { $0.split(separator: "?").last } == ["offset=0", "offset=50", "offset=100"])
        // A number that has no next one is the last.
        requests.withLock { $0 = [] }
        let huge = Pagination<[Int]>.counter("page", from: .max, step: 1) { _ in true }
        for try await _ in client.get("list").pages(of: [Int].self, next: huge) {}
        #expect(Self.urls(requests).count == 1)
    }

    @Test func leavingTheLoopSendsNoMoreAndEachLoopBeginsAnew() async throws {
        let (client, requests) = client { _ in Self.page([1], next: "?page=2") }
        let pages = client.get("list").pages(of: [Int].self)
        for _ in 0..<2 {
            for try await _ in pages { break }
        }
        #expect(Self.urls(requests) == ["https://a.example/v1/list", "https://a.example/v1/list"])
    }

    @Test func cancelledTaskAsksForNoFurtherPage() async throws {
        let (client, requests) = client { url in Self.page([1], next: "?page=\(url.utf8.count)") }
        let isAtFirst = TestSignal()
        let mayGoOn = TestSignal()
        let task = Task {
            for try await _ in client.get("list").pages(of: [Int].self) {
                isAtFirst.fire()
                try? await mayGoOn.wait(timeout: .seconds(60))
            }
        }
        try await isAtFirst.wait(timeout: .seconds(60))
        task.cancel()
        mayGoOn.fire()
        await #expect(throws: CancellationError.self) { try await task.value }
        #expect(Self.urls(requests).count == 1)
    }

    @Test func listWithoutEndIsAnError() async throws {
        let (looping, requests) = client { _ in Self.page([1], next: "/v1/list") }
        var count = 0
        let error = await expectFailure(.paginationEndless) {
            for try await _ in looping.get("list").pages(of: [Int].self) { count += 1 }
        }
        #expect(count == 1 && Self.urls(requests).count == 1)
        #expect(error?.message.contains("was there before") == true)

        let (long, others) = client { url in Self.page([1], next: "?page=\(url.utf8.count + 1)&\(url.hashValue)") }
        count = 0
        await expectFailure(.paginationEndless) {
            for try await _ in long.get("list").pages(of: [Int].self, limit: 5) { count += 1 }
        }
        #expect(count == 5 && Self.urls(others).count == 5)
    }

    @Test(arguments: ["https://b.example/", "//b.example/list", "http://a.example/v1/list", "https://a.example:444/"])
    func linkToAnotherOriginIsRefused(_ link: String) async throws {
        let (client, requests) = client { _ in Self.page([1], next: link) }
        var count = 0
        let error = await expectFailure(.invalidURL) {
            for try await _ in client.get("list").bearer().pages(of: [Int].self) { count += 1 }
        }
        // The page that named it is not lost.
        #expect(count == 1 && Self.urls(requests).count == 1)
        #expect(error?.message.contains("leads from https://a.example to ") == true)
    }

    @Test func otherOriginGetsNoCredentials() async throws {
        let (client, requests) = client { url in
            switch url {
            case "https://a.example/v1/list": Self.page([1], next: "https://b.example/2")
            case "https://b.example/2": Self.page([2], next: "https://a.example/v1/3")
            default: Self.page([3])
            }
        }
        let known = client.scoped {
            $0.headers = ["Authorization": "Bearer s3cret", "X-Api-Key": "s3cret", "Accept-Language": "de"]
        }
        var numbers: [Int] = []
        let call = known.get("list").header("Cookie", "s3cret").header("X-Trace", "s3cret")
        for try await page in call.pages(of: [Int].self, followingOtherOrigins: true) { numbers += page.body }
        #expect(numbers == [1, 2, 3])
        let sent = requests.withLock { $0 }
        #expect(sent[0].headers["Authorization"] != nil && sent[0].headers["Cookie"] != nil)
        // Not there, and not when the list comes back either.
        for request in sent.dropFirst() {
            #expect(!request.headers.description.contains("s3cret") && request.headers["Authorization"] == nil)
            #expect(Set(request.headers.names) == ["Accept", "Accept-Encoding", "Accept-Language", "User-Agent"])
        }
    }

    @Test func securedListDoesNotBecomeAnUnsecuredOne() async throws {
        let (client, requests) = client { _ in Self.page([1], next: "http://a.example/") }
        await expectFailure(.invalidURL) {
            for try await _ in client.get("list").pages(of: [Int].self, followingOtherOrigins: true) {}
        }
        #expect(Self.urls(requests).count == 1)
    }

    @Test func failureEndsTheList() async throws {
        let (client, _) = client { url in
            url.hasSuffix("2") ? .text("no", status: 500) : Self.page([1], next: "?page=2")
        }
        var iterator = client.get("list").pages(of: [Int].self).makeAsyncIterator()
        let first = try await iterator.next()
        #expect(first?.body == [1])
        do {
            _ = try await iterator.next()
            Issue.record("a page came")
        } catch let error as MartletError {
            #expect(error.code == .unacceptableStatus)
        }
        let end = try await iterator.next()
        #expect(end == nil)
    }

    @Test func linkOfASearchIsFollowedByGet() async throws {
        let (client, requests) = client { url in url.hasSuffix("2") ? Self.page([2]) : Self.page([1], next: "?page=2") }
        for try await _ in client.post("search", json: ["q": "x"]).pages(of: [Int].self) {}
        let sent = requests.withLock { $0 }
        #expect(sent.map(\.method) == [.post, .get])
        #expect(sent[1].body.isEmpty && sent[1].headers.contentType == nil)
    }
}

extension Call {
    fileprivate func bearer() -> Call { header("Authorization", "Bearer s3cret") }
}
