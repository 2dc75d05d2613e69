// Links in header fields (RFC 8288, section 3; read as its appendix B.2 says). Where one leads is the server's word: whether to go there
// is for the caller to decide.

/// A link of a `Link` field: `<https://api.example.com/users?page=2>; rel="next"`.
public struct WebLink: Hashable, Sendable {
    /// Where it leads, as the server wrote it: absolute, or relative to the response's URL.
    public let target: String
    /// What it is to the response, in small letters: `next`, `prev`, `describedby`.
    public let relations: [String]
    /// The parameters, in order, `rel` among them.
    public let parameters: [FieldParameter]

    /// Whether it is a link of that relation, in any case.
    public func isRelated(as relation: String) -> Bool { relations.contains(relation.lowercased()) }

    /// The title, `title*` before `title`.
    public var title: String? {
        parameters.value(of: "title*").flatMap(ExtendedValue.decode) ?? parameters.value(of: "title")
    }

    /// What it is a link of, when that is not the response itself.
    public var anchor: String? { parameters.value(of: "anchor") }

    /// The media type of what it leads to, as far as the server tells.
    public var type: MediaType? { parameters.value(of: "type").flatMap { MediaType($0) } }

    /// Where it leads, from the URL that answered.
    ///
    /// - Throws: `invalidURL` when that is not an `http` or `https` URL.
    public func url(relativeTo base: RequestURL) throws(MartletError) -> RequestURL {
        try base.resolvingLocation(target)
    }

    /// Reads all links of a field's value; what is no link is passed over.
    public static func all(in text: String) -> [WebLink] {
        var reader = FieldReader(text)
        var links: [WebLink] = []
        while !reader.isAtEnd {
            reader.skipSpace()
            if reader.take("<") {
                let target = HeaderParameters.trimmed(reader.text { $0 != UInt8(ascii: ">") })
                guard reader.take(">") else { break }
                let parameters = HeaderParameters.parameters(&reader, isListed: true)
                let relations = parameters.value(of: "rel") ?? ""
                links.append(
                    WebLink(
                        target: target,
                        relations: relations.split { $0.isWhitespace }.map { $0.lowercased() },
                        parameters: parameters))
            } else {
                reader.skip(to: ",")
            }
            reader.advance()
        }
        return links
    }
}

extension WebLink: CustomStringConvertible {
    /// The link as it is written.
    public var description: String { parameters.written(behind: "<\(target)>") }
}

extension HTTPHeaders {
    /// The links of all `Link` fields, in order.
    public var links: [WebLink] { values(for: "Link").flatMap { WebLink.all(in: $0) } }
}

extension Response {
    /// Where the first link of a relation leads; nil when there is none, or none that can be followed.
    ///
    /// Links of something else than this response (`anchor`) are passed over.
    public func link(_ relation: String) -> RequestURL? {
        for link in headers.links where link.isRelated(as: relation) && isOwn(link) {
            if let target = try? link.url(relativeTo: url) { return target }
        }
        return nil
    }

    private func isOwn(_ link: WebLink) -> Bool {
        guard let anchor = link.anchor else { return true }
        return (try? url.resolvingLocation(anchor)) == url
    }
}
