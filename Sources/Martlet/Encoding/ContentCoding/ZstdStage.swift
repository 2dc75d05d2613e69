// zstd (RFC 8878) over its own library; with the trait Zstd. Frames may follow one another. The window is at most 8 MiB, as
// RFC 9659 asks of the coding of HTTP: a frame that wants more is refused before its memory is taken.

#if Zstd
import CZstd

/// Takes zstd off.
final class ZstdStage: DecodingStage {
    private static let windowLog: Int32 = 23

    private let context: OpaquePointer?
    private var isInsideFrame = false
    private(set) var hasOutput = false

    init() {
        context = ZSTD_createDCtx()
        if let context { ZSTD_DCtx_setParameter(context, ZSTD_d_windowLogMax, Self.windowLog) }
    }

    deinit { ZSTD_freeDCtx(context) }

    var isComplete: Bool { !isInsideFrame }

    func decode(_ input: UnsafeRawBufferPointer, into output: UnsafeMutableRawBufferPointer) -> DecodingStep {
        var step = DecodingStep()
        guard let context else {
            step.failure = ContentCoding.zstd.outOfMemory
            return step
        }
        var given = ZSTD_inBuffer(src: input.baseAddress, size: input.count, pos: 0)
        var room = ZSTD_outBuffer(dst: output.baseAddress, size: output.count, pos: 0)
        repeat {
            let result = ZSTD_decompressStream(context, &room, &given)
            if ZSTD_isError(result) != 0 {
                step.failure = ContentCoding.zstd.invalid(String(cString: ZSTD_getErrorName(result)))
                break
            }
            isInsideFrame = result != 0
        } while given.pos < given.size && room.pos < room.size
        step.consumed = given.pos
        step.produced = room.pos
        hasOutput = isInsideFrame && room.pos == room.size
        return step
    }
}
#endif
