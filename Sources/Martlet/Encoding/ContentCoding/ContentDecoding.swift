// Whether and how far the codings of response bodies are taken off. Default: those that Martlet has asked for, to at most a
// hundred times what came (beyond the first MiB). A bomb is small on the wire only.

/// What is done with a response body that its server has compressed.
public struct ContentDecoding: Sendable, Hashable {
    /// Whether Martlet asks for compressed bodies and decodes them; true by default.
    ///
    /// When it is false, no `Accept-Encoding` is sent and a body comes as the server coded it.
    public var isEnabled = true

    /// The most bytes that one body may have once it is decoded; nil, the default, sets no limit. More end the call with
    /// `decompressedSizeExceeded`.
    ///
    /// Collected bodies have their own limit, ``RequestOptions/maximumCollectedBytes``, which counts decoded bytes.
    public var maximumBytes: Int?

    /// The most decoded bytes for each byte off the wire, judged from the second MiB on; 100 by default, nil sets no limit.
    /// More end the call with `decompressedSizeExceeded`.
    public var maximumRatio: Int? = 100

    /// Makes the default settings.
    public init() {}

    /// From how many bytes on the ratio is judged: a few repeated lines compress a thousandfold and harm nobody.
    static let ratioApplies = 1 << 20

    /// Refuses more than the limits allow.
    func check(decoded: Int, received: Int) throws(MartletError) {
        if let maximumBytes, decoded > maximumBytes {
            throw MartletError(
                .decompressedSizeExceeded,
                "The response body has more than the \(maximumBytes) bytes that it may have once it is decompressed.")
        }
        guard let maximumRatio, decoded > Self.ratioApplies else { return }
        guard decoded / max(1, maximumRatio) > received else { return }
        throw MartletError(
            .decompressedSizeExceeded,
            "The response body expands to more than \(maximumRatio) times its size. If that is to be expected, raise the limit."
        )
    }
}
