// What caches may do (RFC 9111, section 5.2; RFC 5861 for stale content, RFC 8246 for `immutable`). Directives have no case, their
// arguments may be quoted. Of several of one name the first counts; a lifetime that cannot be read is one of zero, which is the safe
// way to be wrong (RFC 9111, section 4.2.1).

/// The directives of `Cache-Control`.
public struct CacheControl: Hashable, Sendable {
    /// One directive: `max-age=60`.
    public struct Directive: Hashable, Sendable {
        /// The name, in small letters.
        public let name: String
        /// The argument, without quotes; nil when there is none.
        public let argument: String?
    }

    /// The directives, in order.
    public let directives: [Directive]

    /// Reads the value of a field; of several fields, their values joined by commas. What is no directive is passed over.
    public init(_ text: String) {
        var reader = FieldReader(text)
        var directives: [Directive] = []
        while !reader.isAtEnd {
            reader.skipSpace()
            let name = reader.token().lowercased()
            reader.skipSpace()
            var argument: String?
            if reader.take("=") {
                reader.skipSpace()
                argument = reader.next == UInt8(ascii: "\"") ? reader.quotedString() : reader.token()
            }
            if !name.isEmpty { directives.append(Directive(name: name, argument: argument)) }
            reader.skip(to: ",")
            reader.advance()
        }
        self.directives = directives
    }

    /// Whether there is a directive of a name, in any case.
    public func contains(_ name: String) -> Bool { directive(name.lowercased()) != nil }

    /// The argument of a directive; nil when there is no such directive, or it has none.
    public subscript(name: String) -> String? { directive(name.lowercased())?.argument }

    /// `no-store`: nothing is kept.
    public var noStore: Bool { contains("no-store") }
    /// `no-cache`: nothing is used without asking the server, not even when it names some fields only.
    public var noCache: Bool { contains("no-cache") }
    /// `private`: kept by no cache that several share, not even when it names some fields only.
    public var isPrivate: Bool { contains("private") }
    /// `public`: may be kept where it would not be otherwise.
    public var isPublic: Bool { contains("public") }
    /// `must-revalidate`: not used when stale, whatever happens.
    public var mustRevalidate: Bool { contains("must-revalidate") }
    /// `proxy-revalidate`: the same for shared caches.
    public var proxyRevalidate: Bool { contains("proxy-revalidate") }
    /// `must-understand`: kept by those only who know what the status asks of a cache.
    public var mustUnderstand: Bool { contains("must-understand") }
    /// `no-transform`: not to be changed on its way.
    public var noTransform: Bool { contains("no-transform") }
    /// `only-if-cached`: of a request, that the server is not to be asked.
    public var onlyIfCached: Bool { contains("only-if-cached") }
    /// `immutable`: does not change while it is fresh.
    public var isImmutable: Bool { contains("immutable") }

    /// `max-age`
    public var maxAge: Duration? { lifetime("max-age") }
    /// `s-maxage`: the lifetime in shared caches.
    public var sharedMaxAge: Duration? { lifetime("s-maxage") }
    /// `min-fresh`: of a request, for how long the response must stay fresh.
    public var minFresh: Duration? { lifetime("min-fresh") }
    /// `stale-while-revalidate`: for how long it may be used while it is asked for anew.
    public var staleWhileRevalidate: Duration? { lifetime("stale-while-revalidate") }
    /// `stale-if-error`: for how long it may be used when the server fails.
    public var staleIfError: Duration? { lifetime("stale-if-error") }
    /// `max-stale`: of a request, how stale the response may be; however stale, when no time is named, which is 2^31 seconds here.
    public var maxStale: Duration? {
        guard let directive = directive("max-stale") else { return nil }
        return directive.argument == nil ? .seconds(1 << 31) : lifetime("max-stale")
    }

    /// The fields that `no-cache` or `private` name, in small letters; empty when they name none, and then they mean the whole.
    public func fields(of name: String) -> [String] {
        (self[name] ?? "").split(separator: ",").map { HeaderParameters.trimmed(String($0)).lowercased() }
            .filter { !$0.isEmpty }
    }

    private func directive(_ name: String) -> Directive? { directives.first { $0.name == name } }

    private func lifetime(_ name: String) -> Duration? {
        guard let directive = directive(name) else { return nil }
        return .seconds(directive.argument.flatMap(FieldReader.deltaSeconds) ?? 0)
    }
}

extension CacheControl: CustomStringConvertible {
    /// The directives as they are written.
    public var description: String {
        directives.map { directive in
            directive.argument.map { FieldParameter(directive.name, $0).description } ?? directive.name
        }.joined(separator: ", ")
    }
}

extension HTTPHeaders {
    /// The directives of all `Cache-Control` fields; empty when there are none.
    public var cacheControl: CacheControl { CacheControl(combined(for: "Cache-Control") ?? "") }
}
