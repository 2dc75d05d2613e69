// How one page of a list leads to the next: by a link (RFC 8288), by a cursor in the page, by a number. Where a link leads is the server's
// word, so that another origin is refused unless asked for, and gets no credentials then.

import Foundation

/// How to get from one page to the next.
public struct Pagination<Value>: Sendable {
    /// Where the next page is.
    enum Next {
        case url(RequestURL)
        case query([(name: String, value: String)])
    }

    let first: [(name: String, value: String)]
    let next: @Sendable (_ page: Response<Value>, _ number: Int) throws -> Next?

    /// By the links of the `Link` field, `rel=next` unless another relation is named; the page without one is the last.
    public static func link(_ relation: String = "next") -> Pagination {
        Pagination(first: []) { page, _ in page.link(relation).map { .url($0) } }
    }

    /// By a link in the page, absolute or relative to the page's URL; the page that gives nil is the last.
    public static func link(_ find: @escaping @Sendable (Response<Value>) throws -> String?) -> Pagination {
        Pagination(first: []) { page, _ in
            guard let link = try find(page) else { return nil }
            return .url(try page.url.resolvingLocation(link))
        }
    }

    /// By a cursor in the page, which goes into the query under a name; the page that gives nil is the last.
    public static func cursor(
        _ name: String, _ find: @escaping @Sendable (Response<Value>) throws -> String?
    ) -> Pagination {
        Pagination(first: []) { page, _ in try find(page).map { .query([(name, $0)]) } }
    }

    /// By a number in the query, from 1 in steps of 1 unless told otherwise, as long as `hasMore` says so.
    ///
    /// For offsets, step by the size of a page.
    public static func counter(
        _ name: String, from start: Int = 1, step: Int = 1,
        while hasMore: @escaping @Sendable (Response<Value>) throws -> Bool
    ) -> Pagination {
        Pagination(first: [(name, String(start))]) { page, number in
            guard try hasMore(page) else { return nil }
            let (offset, overflow) = step.multipliedReportingOverflow(by: number)
            let (value, overflowsToo) = start.addingReportingOverflow(offset)
            return overflow || overflowsToo ? nil : .query([(name, String(value))])
        }
    }
}

extension Pagination where Value: Collection & SendableMetatype {
    /// By a number in the query, from 1 in steps of 1 unless told otherwise, up to the first page without elements.
    public static func counter(_ name: String, from start: Int = 1, step: Int = 1) -> Pagination {
        counter(name, from: start, step: step) { !$0.body.isEmpty }
    }
}

extension Call {
    /// The pages of a list, each as the value that a serializer makes of it.
    ///
    /// ```swift
    /// for try await page in client.get("/users").pages(by: .json([User].self)) {
    ///     for user in page.body { print(user.name) }
    /// }
    /// ```
    ///
    /// The first page is the call itself; the following ones have its header fields and options. A page is asked for when the loop
    /// comes to it, so that leaving the loop sends no more. Each iteration begins anew.
    ///
    /// - Parameters:
    ///   - serializer: what makes the values.
    ///   - pagination: how one page leads to the next; by `Link: rel=next` by default.
    ///   - limit: the most pages, 1,000 by default; more throw `paginationEndless`, as a page that was there before does.
    ///   - otherOrigins: whether a link may lead to another origin, which is refused with `invalidURL` by default. Such a page is asked
    ///     for without the header fields of the call and the client, but for `Accept`, `Accept-Language` and `User-Agent`; from https
    ///     to http is refused always.
    public func pages<Serializer: ResponseSerializer>(
        by serializer: Serializer, next pagination: Pagination<Serializer.Value> = .link(), limit: Int = 1_000,
        followingOtherOrigins otherOrigins: Bool = false
    ) -> Pages<Serializer> {
        Pages(
            call: self, serializer: serializer, pagination: pagination, limit: max(1, limit),
            followsOtherOrigins: otherOrigins)
    }

    /// The pages of a list of JSON documents: `client.get("/users").pages(of: [User].self)`. See ``pages(by:next:limit:followingOtherOrigins:)``.
    public func pages<Value: Decodable>(
        of type: Value.Type, next pagination: Pagination<Value> = .link(), limit: Int = 1_000,
        followingOtherOrigins otherOrigins: Bool = false
    ) -> Pages<JSONResponseSerializer<Value>> {
        pages(by: .json(type), next: pagination, limit: limit, followingOtherOrigins: otherOrigins)
    }

    /// The pages of a list.
    public struct Pages<Serializer: ResponseSerializer>: AsyncSequence, Sendable {
        /// A page.
        public typealias Element = Response<Serializer.Value>

        let call: Call
        let serializer: Serializer
        let pagination: Pagination<Serializer.Value>
        let limit: Int
        let followsOtherOrigins: Bool

        /// Starts an iteration; the first page is asked for at its first step.
        public func makeAsyncIterator() -> Iterator { Iterator(pages: self) }

        /// The iterator of the pages.
        public struct Iterator: AsyncIteratorProtocol {
            private let pages: Pages
            /// A failure to find the next page is told at its turn, so that the page before it is not lost.
            private var upcoming: Result<Call, any Error>?
            private var number = 0
            private var seen: Set<String> = []

            init(pages: Pages) {
                self.pages = pages
                upcoming = .success(pages.call)
            }

            /// The next page; nil behind the last.
            ///
            /// - Throws: what the call or the serializer throws; `invalidURL` for a link that may not be followed; `paginationEndless`.
            public nonisolated(nonsending) mutating func next() async throws -> Response<Serializer.Value>? {
                guard let found = upcoming else { return nil }
                // Whatever goes wrong ends the list.
                upcoming = nil
                try Task.checkCancellation()
                guard number < pages.limit else { throw Self.endless("it has more than \(pages.limit) pages") }
                var call = try found.get()
                if number == 0 { call = try call.settingQuery(pages.pagination.first) }
                let url = try call.makeRequest().url
                guard seen.insert("\(url.origin)\(url.target)").inserted else {
                    throw Self.endless("it leads to a page that was there before")
                }
                let page = try await call.serializedResponse(by: pages.serializer)
                number += 1
                do {
                    upcoming = try following(page, of: call).map { .success($0) }
                } catch {
                    upcoming = .failure(error)
                }
                return page
            }

            /// The next page, on the caller's actor.
            public mutating func next(
                isolation actor: isolated (any Actor)?
            ) async throws -> Response<Serializer.Value>? {
                try await next()
            }

            private func following(_ page: Response<Serializer.Value>, of call: Call) throws -> Call? {
                switch try pages.pagination.next(page, number) {
                case nil: return nil
                case .query(let items)?: return try call.settingQuery(items)
                case .url(let url)?: return try call.linked(to: url, allowingOtherOrigin: pages.followsOtherOrigins)
                }
            }

            private static func endless(_ reason: String) -> MartletError {
                MartletError(.paginationEndless, "The list does not come to an end: \(reason).")
            }
        }
    }
}
