// Bounds of what a multipart response may cost before a byte of its content is looked at.

/// Limits of reading a multipart body.
public struct MultipartLimits: Sendable, Hashable {
    /// The most parts; 1,000 by default.
    public var parts = 1_000
    /// The most bytes of a part's header fields; 16 KiB by default.
    public var headBytes = 16 << 10
    /// The most bytes before the first part; 16 KiB by default.
    public var preambleBytes = 16 << 10

    /// Makes limits.
    public init(parts: Int = 1_000, headBytes: Int = 16 << 10, preambleBytes: Int = 16 << 10) {
        self.parts = parts
        self.headBytes = headBytes
        self.preambleBytes = preambleBytes
    }
}
