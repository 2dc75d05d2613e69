// Redirects by the rules: where they lead, with what method and body, and where they end.

import Foundation
import MartletTesting
import Testing

@testable import Martlet

@Suite struct RedirectTests {
    /// Answers the requests in order with redirects to these places, and then with 200.
    private func redirecting(_ steps: (HTTPStatus, String)...) -> MockTransport {
        MockTransport(answers: steps.map { .redirect(to: $0.1, status: $0.0) } + [.text("there")])
    }

    // MARK: Whether

    @Test(arguments: [301, 302, 303, 307, 308] as [HTTPStatus])
    func isFollowedByDefault(status: HTTPStatus) async throws {
        let transport = redirecting((status, "/new"))
        let response = try await MartletClient.mocked(transport).get("/old?key=secret").response()
        #expect(response.status == 200)
        #expect(response.url.description == "https://api.example.com/new")
        #expect(transport.requests.map(\.path) == ["/old", "/new"])
        #expect(
            response.redirects == [
                RedirectRecord(
                    status: status, request: .init(method: .get, url: "https://api.example.com/old?key=<redacted>"))
            ])
    }

    @Test(arguments: [300, 304, 305, 306, 399, 201] as [HTTPStatus])
    func otherStatusesAreResponses(status: HTTPStatus) async throws {
        let transport = redirecting((status, "/new"))
        let response = try await MartletClient.mocked(transport).get("/old").response()
        #expect(response.status == status)
        #expect(transport.requests.count == 1)
    }

    @Test func isTheResponseWhenNoneIsFollowed() async throws {
        let transport = redirecting((302, "/new"))
        let response = try await MartletClient.mocked(transport).get("/old").redirects(.never).response()
        #expect(response.status == 302)
        #expect(response.body.isEmpty)
        #expect(response.headers.location == "/new")
        #expect(response.redirects.isEmpty)
        #expect(transport.requests.count == 1)
    }

    @Test func theCallsPolicyBeatsTheClients() async throws {
        let transport = redirecting((302, "/new"))
        let client = MartletClient.mocked(transport) { $0.defaults.redirects = .never }
        #expect(try await client.get("/old").redirects(.follow).response().status == 200)
    }

    @Test func withoutALocationIsTheResponse() async throws {
        let transport = MockTransport(answers: [.text("moved somewhere", status: 302)])
        let response = try await MartletClient.mocked(transport).get("/old").response()
        #expect(response.status == 302)
        #expect(String(decoding: response.body, as: UTF8.self) == "moved somewhere")
    }

    @Test(arguments: [
        "http://api.example.com:port/", "", "https://", "https://user:secret@api.example.com/", "file:///etc/passwd",
        "unix:/run/secret.sock", "data:text/plain,secret", "ftp://api.example.com/", "https:api.example.com",
        "//api.example.com\\@evil.example/", "https://127.1/", "javascript:alert(1)", "http+unix://%2Frun/secret",
    ])
    func whatCannotBeFollowedEndsTheCall(location: String) async throws {
        let transport = redirecting((302, location))
        let error = await expectFailure(.invalidRedirect) {
            try await MartletClient.mocked(transport).get("/old").redirects(.follow).data()
        }
        #expect(transport.requests.count == 1)
        #expect(error.map { !"\($0)".contains("secret") } == true)
        #expect(error?.request?.url == "https://api.example.com/old")
    }

    @Test func severalLocationsEndTheCall() async throws {
        let transport = MockTransport(answers: [.redirect(to: "/a").header("Location", "/b"), .ok])
        await expectFailure(.invalidRedirect) { try await MartletClient.mocked(transport).get("/old").data() }
        #expect(transport.requests.count == 1)
    }

    @Test func fromHTTPSToHTTPIsRefused() async throws {
        let transport = redirecting((302, "http://api.example.com/new"))
        await expectFailure(.insecureRedirect) { try await MartletClient.mocked(transport).get("/old").data() }
        #expect(transport.requests.count == 1)
    }

    @Test func fromHTTPSToHTTPIsFollowedWhenAllowed() async throws {
        let transport = redirecting((302, "http://api.example.com/new"))
        var policy = RedirectPolicy.follow
        policy.allowsDowngrade = true
        #expect(try await MartletClient.mocked(transport).get("/old").redirects(policy).response().status == 200)
    }

    @Test func aRedirectToAnotherOriginIsTheResponseWhereOnlyTheOwnIsFollowed() async throws {
        let transport = redirecting((302, "/here"), (302, "https://other.example/there"))
        let response = try await MartletClient.mocked(transport).get("/old").redirects(.sameOrigin).response()
        #expect(response.status == 302)
        #expect(response.redirects.count == 1)
        #expect(transport.requests.map(\.path) == ["/old", "/here"])
    }

    // MARK: How often

    @Test(arguments: [(10, true), (11, false)])
    func atMostTenAreFollowed(count: Int, isFollowed: Bool) async throws {
        let transport = MockTransport { $0.index < count ? .redirect(to: "/\($0.index + 1)") : .ok }
        let call = MartletClient.mocked(transport).get("/0")
        if isFollowed {
            #expect(try await call.response().redirects.count == 10)
        } else {
            let error = await expectFailure(.tooManyRedirects) { try await call.response() }
            #expect(error?.redirects.count == 10)
            #expect(error?.redirects.first?.request.url == "https://api.example.com/0")
            #expect(error?.mayHaveReachedServer == true)
        }
        #expect(transport.requests.count == 11)
    }

    @Test(arguments: [(0, 1), (1, 2), (3, 4)])
    func theLimitMayBeSet(limit: Int, requests: Int) async throws {
        let transport = MockTransport { .redirect(to: "/\($0.index + 1)") }
        let client = MartletClient.mocked(transport) { $0.defaults.redirects = .follow(max: limit) }
        let error = await expectFailure(.tooManyRedirects) { try await client.get("/0").response() }
        #expect(error?.redirects.count == limit)
        #expect(transport.requests.count == requests)
    }

    @Test(arguments: [["/a"], ["/b", "/a"], ["/b", "/c", "/b"], ["/a#part"], ["?", "/b", "/a?"]])
    func aCircleEndsTheCallBeforeItIsWalkedTwice(places: [String]) async throws {
        let transport = MockTransport { .redirect(to: places[min($0.index, places.count - 1)]) }
        let error = await expectFailure(.tooManyRedirects) {
            try await MartletClient.mocked(transport).get("/a").response()
        }
        #expect(transport.requests.count == places.count)
        #expect(error?.redirects.count == places.count - 1)
    }

    @Test func aCookieMayMakeTheSameURLAnswerOtherwise() async throws {
        let transport = MockTransport { request in
            switch request.index {
            case 0: .redirect(to: "/login")
            case 1: .redirect(to: "/a").header("Set-Cookie", "in=1")
            default: .text("in")
            }
        }
        #expect(try await MartletClient.mocked(transport).get("/a").string() == "in")
    }

    @Test func pingPongWithCookiesEndsAtTheLimit() async throws {
        let transport = MockTransport { .redirect(to: $0.index % 2 == 0 ? "/b" : "/a").header("Set-Cookie", "n=1") }
        await expectFailure(.tooManyRedirects) { try await MartletClient.mocked(transport).get("/a").response() }
        #expect(transport.requests.count == 11)
    }

    @Test func theSameURLWithAnotherMethodIsNoCircle() async throws {
        let transport = redirecting((303, "/form"))
        #expect(try await MartletClient.mocked(transport).post("/form", data: Data("a".utf8)).string() == "there")
    }

    // MARK: Where to

    @Test(arguments: [
        ("/c", "https://api.example.com/c"), ("c", "https://api.example.com/a/c"),
        ("../c?d=1", "https://api.example.com/c?d=1"), ("?d", "https://api.example.com/a/b?d"),
        ("//other.example/c", "https://other.example/c"), ("https://Other.Example:443/c", "https://other.example/c"),
        ("/%2e%2e/c", "https://api.example.com/%2e%2e/c"), ("/caf\u{E9}", "https://api.example.com/caf%C3%A9"),
    ])
    func aLocationIsResolvedAgainstTheURLThatAnswered(location: String, target: String) async throws {
        let transport = redirecting((302, location))
        _ = try await MartletClient.mocked(transport).get("/a/b?x=1").response()
        #expect(transport.requests.last?.url.description == target)
    }

    @Test(arguments: [("/new", "#part"), ("/new#own", "#own"), ("https://other.example/new", "#part"), ("/new#", "#")])
    func theFragmentIsInherited(location: String, fragment: String) async throws {
        let transport = redirecting((302, location))
        let response = try await MartletClient.mocked(transport).get("/old#part").response()
        #expect(response.url.description.hasSuffix("/new" + fragment))
    }

    // MARK: Method and body

    @Test(arguments: [
        (HTTPStatus(301), HTTPMethod.post, HTTPMethod.get), (302, .post, .get), (303, .post, .get),
        (307, .post, .post), (308, .post, .post), (301, .put, .put), (302, .put, .put), (303, .put, .get),
        (307, .put, .put), (301, .patch, .patch), (302, .delete, .delete), (303, .delete, .get), (303, .head, .head),
        (301, .head, .head), (303, .query, .get), (302, .query, .query), (303, "PURGE", .get), (302, "PURGE", "PURGE"),
    ])
    func theStatusDecidesTheMethodAndWhetherTheBodyGoesAlong(
        status: HTTPStatus, method: HTTPMethod, next: HTTPMethod
    ) async throws {
        let transport = redirecting((status, "/new"))
        let hasBody = method != .head
        var call = MartletClient.mocked(transport).request(method, "/old").header("Content-Language", "de")
            .header("X-Own", "1")
        if hasBody { call = call.body(data: Data("abc".utf8), contentType: "text/plain") }
        _ = try await call.response()
        let last = try #require(transport.requests.last)
        #expect(last.method == next)
        #expect(last.bodyText == (hasBody && next == method ? "abc" : ""))
        #expect(last.headers.contentType == (hasBody && next == method ? "text/plain" : nil))
        #expect(last.headers["Content-Language"] == (next == method ? "de" : nil))
        #expect(last.headers["X-Own"] == "1")
    }

    @Test func aBodyThatIsMadeForEachAttemptGoesAlong() async throws {
        let transport = redirecting((307, "/new"))
        let body = RequestBody.stream {
            AsyncStream {
                $0.yield(Data("abc".utf8)); $0.finish()
            }
        }
        _ = try await MartletClient.mocked(transport).post("/old").body(body).response()
        #expect(transport.requests.map(\.bodyText) == ["abc", "abc"])
    }

    @Test func aBodyThatCanBeReadOnceEndsTheCall() async throws {
        let transport = redirecting((308, "/new"))
        let body = AsyncStream {
            $0.yield(Data("abc".utf8)); $0.finish()
        }
        await expectFailure(.bodyNotReplayable) {
            try await MartletClient.mocked(transport).post("/old", stream: body).response()
        }
        #expect(transport.requests.count == 1)
    }

    @Test func aBodyThatCanBeReadOnceIsNoHindranceWhereItIsDropped() async throws {
        let transport = redirecting((303, "/new"))
        let body = AsyncStream {
            $0.yield(Data("abc".utf8)); $0.finish()
        }
        _ = try await MartletClient.mocked(transport).post("/old", stream: body).response()
        #expect(transport.requests.map(\.bodyText) == ["abc", ""])
    }

    // MARK: Deciding

    @Test func eachHopIsAskedAboutAndMayBeChanged() async throws {
        let asked = Trail()
        let transport = redirecting((302, "/b"), (302, "/c"))
        let policy = RedirectPolicy.deciding { redirect in
            asked.add(
                "\(redirect.number) \(redirect.response.status.code) \(redirect.request.url.path)>\(redirect.next.url.path)"
            )
            var next = redirect.next
            if redirect.number == 2 { next.url = try RequestURL("https://api.example.com/elsewhere") }
            next.headers["X-Hop"] = "\(redirect.number)"
            return next
        }
        let response = try await MartletClient.mocked(transport).get("/a").redirects(policy).response()
        #expect(asked.steps == ["1 302 /a>/b", "2 302 /b>/c"])
        #expect(response.url.path == "/elsewhere")
        #expect(transport.requests.map { $0.headers["X-Hop"] } == [nil, "1", "2"])
    }

    @Test func aHopThatIsDeclinedIsTheResponse() async throws {
        let transport = redirecting((302, "/b"))
        let response = try await MartletClient.mocked(transport).get("/a").redirects(.deciding { _ in nil }).response()
        #expect(response.status == 302)
        #expect(response.headers.location == "/b")
    }

    @Test func whatTheDecisionFailsWithIsTheCause() async throws {
        struct Own: Error {}
        let transport = redirecting((302, "/b"))
        let error = await expectFailure(.interceptorFailed) {
            try await MartletClient.mocked(transport).get("/a").redirects(.deciding { _ in throw Own() }).response()
        }
        #expect(error?.underlying is Own)
        #expect(error?.request?.url == "https://api.example.com/a")
    }

    @Test func aDecisionCannotLeaveHTTPS() async throws {
        let transport = redirecting((302, "/b"))
        let policy = RedirectPolicy.deciding { redirect in
            var next = redirect.next
            next.url = try RequestURL("http://api.example.com/b")
            return next
        }
        await expectFailure(.insecureRedirect) {
            try await MartletClient.mocked(transport).get("/a").redirects(policy).response()
        }
    }

    // MARK: With other layers

    @Test func interceptorsRunOnceAndAttemptInterceptorsOncePerHop() async throws {
        let runs = Trail()
        let transport = redirecting((302, "/b"), (302, "/c"))
        let client = MartletClient.mocked(transport) {
            $0.defaults.interceptors = [.observe { request, _ in runs.add("call \(request.url.path)") }]
            $0.defaults.attemptInterceptors = [.observe { request, _ in runs.add("attempt \(request.url.path)") }]
        }
        let response = try await client.get("/a").response()
        #expect(runs.steps == ["attempt /a", "attempt /b", "attempt /c", "call /a"])
        #expect(response.redirects.count == 2)
    }

    @Test func theDeadlineIsTheSameForAllHops() async throws {
        let transport = redirecting((302, "/b"), (302, "/c"))
        _ = try await MartletClient.mocked(transport).get("/a").timeout(.seconds(600)).response()
        #expect(Set(transport.requests.map { $0.request.options.deadline }).count == 1)
        #expect(transport.requests.allSatisfy { $0.request.options.deadline != nil })
    }

    @Test func anErrorAfterARedirectTellsOfIt() async throws {
        let transport = MockTransport(answers: [
            .redirect(to: "/b"), .failure(MartletError(.connectionClosed, "Closed.")),
        ])
        let error = await expectFailure(.connectionClosed) {
            try await MartletClient.mocked(transport).get("/a").response()
        }
        #expect(error?.redirects.map(\.description) == ["302 to GET https://api.example.com/a"])
        #expect(error?.mayHaveReachedServer == true)
    }

    @Test func anUnacceptableStatusAfterARedirectTellsOfIt() async throws {
        let transport = MockTransport(answers: [.redirect(to: "/b"), .status(404)])
        let error = await expectFailure(.unacceptableStatus) {
            try await MartletClient.mocked(transport).get("/a").data()
        }
        #expect(error?.redirects.count == 1)
        #expect(error?.request?.url == "https://api.example.com/b")
    }
}
