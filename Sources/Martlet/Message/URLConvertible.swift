// What a verb accepts as its URL. Whatever the type, the text is read by `RequestURL`, so that there is one reading.

public import Foundation

/// A value that says where a request goes: a `String`, a `URL`, `URLComponents` or a `RequestURL`.
public protocol URLConvertible: Sendable {
    /// The URL, joined onto `base` when it is relative.
    ///
    /// Throws `invalidURL` when it cannot be read, is relative without a base, or leads away from the base's origin and
    /// `allowingOtherOrigin` is false.
    func requestURL(relativeTo base: RequestURL?, allowingOtherOrigin: Bool) throws(MartletError) -> RequestURL
}

extension String: URLConvertible {
    /// The text read as an absolute URL, or joined onto `base`. Throws `invalidURL`.
    public func requestURL(
        relativeTo base: RequestURL?, allowingOtherOrigin: Bool
    ) throws(MartletError) -> RequestURL {
        guard let base else { return try RequestURL(self) }
        return try base.resolving(self, allowingOtherOrigin: allowingOtherOrigin)
    }
}

extension URL: URLConvertible {
    /// The URL's absolute text, read anew. Throws `invalidURL`.
    public func requestURL(
        relativeTo base: RequestURL?, allowingOtherOrigin: Bool
    ) throws(MartletError) -> RequestURL {
        try absoluteString.requestURL(relativeTo: base, allowingOtherOrigin: allowingOtherOrigin)
    }
}

extension URLComponents: URLConvertible {
    /// The text of the components, read anew. Throws `invalidURL`.
    public func requestURL(
        relativeTo base: RequestURL?, allowingOtherOrigin: Bool
    ) throws(MartletError) -> RequestURL {
        guard let string else {
            throw MartletError(.invalidURL, "The URL components do not make a URL; look at their host and path.")
        }
        return try string.requestURL(relativeTo: base, allowingOtherOrigin: allowingOtherOrigin)
    }
}

extension RequestURL: URLConvertible {
    /// This URL, which is absolute already. Throws `invalidURL` when it leads away from the base's origin and may not.
    public func requestURL(
        relativeTo base: RequestURL?, allowingOtherOrigin: Bool
    ) throws(MartletError) -> RequestURL {
        guard let base, !allowingOtherOrigin, origin != base.origin else { return self }
        return try base.resolving(text)
    }
}
