// Directives of Cache-Control (RFC 9111, section 5.2).

import Testing

@testable import Martlet

@Suite struct CacheControlTests {
    @Test(
        arguments: [
            ("max-age=60", 60), ("Max-Age=60", 60), ("max-age=\"60\"", 60), ("max-age = 60", 60),
            ("public, max-age=60", 60),
            ("max-age=60, max-age=1", 60), ("max-age", 0), ("max-age=", 0), ("max-age=-1", 0), ("max-age=1.5", 0),
            ("max-age=ten", 0), ("max-age=99999999999999999999", 1 << 31), ("max-age=0060", 60),
            ("x=\"a, max-age=1\"", nil),
            ("xmax-age=1", nil), ("", nil), ("max-age=60;x=y", 60), ("=60, max-age=5", 5), (", ,max-age=7,", 7),
        ] as [(String, Int?)])
    func lifetimeIsRead(_ text: String, _ seconds: Int?) {
        #expect(CacheControl(text).maxAge == seconds.map { .seconds($0) })
    }

    @Test func directivesAreFoundByName() {
        let headers: HTTPHeaders = [
            .init("Cache-Control", "No-Store, private=\"Set-Cookie, X\", must-revalidate"),
            .init("cache-control", "s-maxage=1, stale-while-revalidate=2, stale-if-error=3, immutable, max-stale"),
        ]
        let control = headers.cacheControl
        #expect(control.noStore && control.isPrivate && control.mustRevalidate && control.isImmutable)
        #expect(!control.noCache && !control.isPublic && !control.onlyIfCached && !control.mustUnderstand)
        #expect(!control.noTransform && !control.proxyRevalidate)
        #expect(control.fields(of: "private") == ["set-cookie", "x"])
        #expect(control.fields(of: "no-cache") == [])
        #expect(control.sharedMaxAge == .seconds(1))
        #expect(control.staleWhileRevalidate == .seconds(2))
        #expect(control.staleIfError == .seconds(3))
        #expect(control.maxStale == .seconds(1 << 31))
        #expect(control.minFresh == nil && control.maxAge == nil)
        #expect(control["S-MaxAge"] == "1")
        #expect(CacheControl("max-stale=5").maxStale == .seconds(5))
        #expect(HTTPHeaders().cacheControl.directives == [])
    }

    @Test func directivesAreWrittenAsTheyAreRead() {
        let text = "no-cache, private=\"a, b\", max-age=60"
        #expect(CacheControl(text).description == text)
    }
}
