// brotli (RFC 7932) over its own library; with the trait Brotli. A window of at most 16 MiB, as the coding of HTTP has it.

#if Brotli
import CBrotli

/// Takes brotli off.
final class BrotliStage: DecodingStage {
    private let state: OpaquePointer?
    private var hasBegun = false
    private var hasEnded = false
    private(set) var hasOutput = false

    init() { state = BrotliDecoderCreateInstance(nil, nil, nil) }

    deinit { BrotliDecoderDestroyInstance(state) }

    var isComplete: Bool { hasEnded || !hasBegun }

    func decode(_ input: UnsafeRawBufferPointer, into output: UnsafeMutableRawBufferPointer) -> DecodingStep {
        var step = DecodingStep()
        guard let state else {
            step.failure = ContentCoding.brotli.outOfMemory
            return step
        }
        guard !hasEnded else {
            step.failure = ContentCoding.brotli.invalid("bytes follow its end")
            return step
        }
        hasBegun = hasBegun || !input.isEmpty
        var given = input.count
        var next = input.baseAddress?.assumingMemoryBound(to: UInt8.self)
        var room = output.count
        var place = output.baseAddress?.assumingMemoryBound(to: UInt8.self)
        let result = BrotliDecoderDecompressStream(state, &given, &next, &room, &place, nil)
        step.consumed = input.count - given
        step.produced = output.count - room
        hasOutput = result == BROTLI_DECODER_RESULT_NEEDS_MORE_OUTPUT
        switch result {
        case BROTLI_DECODER_RESULT_SUCCESS: hasEnded = true
        case BROTLI_DECODER_RESULT_NEEDS_MORE_INPUT, BROTLI_DECODER_RESULT_NEEDS_MORE_OUTPUT: break
        default:
            let reason = BrotliDecoderErrorString(BrotliDecoderGetErrorCode(state)).map { String(cString: $0) }
            step.failure = ContentCoding.brotli.invalid(reason ?? "it cannot be decoded")
        }
        return step
    }
}
#endif
