// What a call does about content codings.

extension Call {
    /// Compresses the request body on its way; with gzip unless said otherwise, nil undoes a default of the client's.
    ///
    /// The server must be known to take it. See ``RequestCompression`` for what is left as it is.
    public func compressed(_ compression: RequestCompression? = .gzip) -> Call {
        with { $0.options.compression = compression }
    }

    /// Delivers the body as the server sent it: no `Accept-Encoding` is sent, and no content coding is taken off.
    ///
    /// For compressed bytes, say which: `.undecoded().header("Accept-Encoding", "gzip")`.
    public func undecoded() -> Call { with { $0.options.contentDecoding.isEnabled = false } }
}
