// One coding of a body being taken off, step by step: the pure part, bytes in and bytes out. A stage keeps what its format
// needs and no more; whoever drives it owns the buffers.

/// A coding on its way off a body. Confined to the one iterator of that body.
protocol DecodingStage: AnyObject {
    /// Decodes some of `input` into `output`, which is not empty. All of the input is used up unless the output is full.
    func decode(_ input: UnsafeRawBufferPointer, into output: UnsafeMutableRawBufferPointer) -> DecodingStep

    /// Whether there may be more output without more input.
    var hasOutput: Bool { get }

    /// Whether the input may end here. It may before its first byte: an empty body is empty in every coding.
    var isComplete: Bool { get }
}

/// What one step of decoding did.
struct DecodingStep {
    var consumed = 0
    var produced = 0
    /// Why it cannot go on.
    var failure: MartletError?
}

extension ContentCoding {
    /// Makes the stage that takes this coding off; nil when it is not built in.
    func makeStage() -> (any DecodingStage)? {
        switch kind {
        #if Zlib
        case .gzip: InflateStage(.gzip)
        case .deflate: InflateStage(.deflate)
        #else
        case .gzip, .deflate: nil
        #endif
        #if Brotli
        case .brotli: BrotliStage()
        #else
        case .brotli: nil
        #endif
        #if Zstd
        case .zstd: ZstdStage()
        #else
        case .zstd: nil
        #endif
        }
    }

    /// The error for bytes that are not what their label says.
    func invalid(_ reason: String) -> MartletError {
        MartletError(
            .invalidContentCoding,
            "The response body is not valid \(name), which its Content-Encoding says it is: \(reason).")
    }

    /// The error for a body that ends too early.
    var truncated: MartletError {
        MartletError(.bodyTruncated, "The response body ended in the middle of its \(name) data.")
    }

    /// The error for a library that has no memory left.
    var outOfMemory: MartletError {
        MartletError(.other, "There is not enough memory to decode the response body's \(name) data.")
    }
}
