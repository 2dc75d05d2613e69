// gzip (RFC 1952) and deflate (RFC 1950, 1951) over zlib, which checks the sums and sizes of the formats. gzip may come in
// several members, one after the other. Bytes after the last that begin no other are ignored, as gzip itself does, up to a
// limit. "deflate" is zlib's format, but servers exist that send the bare one under that name: the first two bytes tell.

#if Zlib
import CZlib

/// Takes gzip or deflate off.
final class InflateStage: DecodingStage {
    enum Format: Sendable {
        case gzip, deflate
    }

    private enum Place {
        /// Before the first byte.
        case start
        /// After the first byte of deflate, which does not tell its kind yet.
        case undecided(UInt8)
        case inside
        /// After a member of gzip.
        case betweenMembers
        /// After the first byte of what may be another member.
        case maybeMember
        /// After the end, where bytes mean nothing.
        case after
    }

    /// How many bytes after the end are ignored: padding to a block's end is the usual kind.
    private static let trailingLimit = 64 << 10
    private static let magic: (UInt8, UInt8) = (0x1F, 0x8B)

    private let coding: ContentCoding
    // At an address that stays: zlib's own state points back to it.
    private let stream: UnsafeMutablePointer<z_stream>
    private var isReady = false
    private var place = Place.start
    private var trailing = 0
    private(set) var hasOutput = false

    init(_ format: Format) {
        coding = format == .gzip ? .gzip : .deflate
        stream = .allocate(capacity: 1)
        stream.initialize(to: z_stream())
    }

    deinit {
        if isReady { inflateEnd(stream) }
        stream.deallocate()
    }

    var isComplete: Bool {
        switch place {
        case .start, .betweenMembers, .after: true
        case .undecided, .inside, .maybeMember: false
        }
    }

    func decode(_ input: UnsafeRawBufferPointer, into output: UnsafeMutableRawBufferPointer) -> DecodingStep {
        var step = DecodingStep()
        repeat {
            let rest = UnsafeRawBufferPointer(rebasing: input[step.consumed...])
            switch place {
            case .start: start(rest, &step)
            case .undecided(let first): decide(first, rest, &step)
            case .inside:
                inflate(rest, into: output, &step)
                if hasOutput || step.produced > 0 { return step }
                if case .inside = place, step.consumed < input.count { return step }
            case .betweenMembers: look(at: rest, &step)
            case .maybeMember: lookAgain(at: rest, &step)
            case .after:
                step.consumed += rest.count
                trailing += rest.count
                if trailing > Self.trailingLimit {
                    step.failure = coding.invalid("more than \(Self.trailingLimit) bytes follow its end")
                }
            }
        } while step.failure == nil && step.consumed < input.count
        return step
    }

    private func start(_ input: UnsafeRawBufferPointer, _ step: inout DecodingStep) {
        guard let first = input.first else { return }
        if coding == .gzip {
            // Header and trailer of gzip: 16 and the window of 15.
            begin(windowBits: 31, &step)
        } else {
            place = .undecided(first)
            step.consumed += 1
        }
    }

    /// Tells zlib's format from the bare one by its two bytes of header: a multiple of 31, the method 8, a window of at most
    /// 32 KiB. A bare stream would have to begin with a stored block, its padding not zero, to look like that.
    private func decide(_ first: UInt8, _ input: UnsafeRawBufferPointer, _ step: inout DecodingStep) {
        guard let second = input.first else { return }
        let isZlib = first & 0x0F == 8 && first >> 4 <= 7 && (UInt(first) << 8 | UInt(second)) % 31 == 0
        begin(windowBits: isZlib ? 15 : -15, &step)
        replay(first, &step)
    }

    private func begin(windowBits: Int32, _ step: inout DecodingStep) {
        let status = inflateInit2_(stream, windowBits, ZLIB_VERSION, Int32(MemoryLayout<z_stream>.size))
        guard status == Z_OK else {
            step.failure = coding.outOfMemory
            return
        }
        isReady = true
        place = .inside
    }

    /// Gives zlib a byte that was held back. One byte is the beginning of a header or of a code, never output.
    private func replay(_ byte: UInt8, _ step: inout DecodingStep) {
        guard step.failure == nil else { return }
        var taken = DecodingStep()
        withUnsafeBytes(of: byte) { input in
            var nowhere: UInt8 = 0
            withUnsafeMutableBytes(of: &nowhere) { inflate(input, into: $0, &taken) }
        }
        hasOutput = false
        step.failure = taken.failure
    }

    private func inflate(
        _ input: UnsafeRawBufferPointer, into output: UnsafeMutableRawBufferPointer, _ step: inout DecodingStep
    ) {
        let given = min(input.count, 1 << 30)
        let room = min(output.count, 1 << 30)
        // zlib does not write to its input; its header says so only when asked to.
        stream.pointee.next_in = UnsafeMutablePointer(
            mutating: input.baseAddress?.assumingMemoryBound(to: UInt8.self))
        stream.pointee.avail_in = UInt32(given)
        stream.pointee.next_out = output.baseAddress?.assumingMemoryBound(to: UInt8.self)
        stream.pointee.avail_out = UInt32(room)
        let status = CZlib.inflate(stream, Z_NO_FLUSH)
        step.consumed += given - Int(stream.pointee.avail_in)
        step.produced += room - Int(stream.pointee.avail_out)
        hasOutput = stream.pointee.avail_out == 0
        switch status {
        case Z_OK, Z_BUF_ERROR: break
        case Z_STREAM_END:
            place = coding == .gzip ? .betweenMembers : .after
            hasOutput = false
        case Z_NEED_DICT: step.failure = coding.invalid("it needs a dictionary")
        case Z_MEM_ERROR: step.failure = coding.outOfMemory
        default: step.failure = coding.invalid(stream.pointee.msg.map { String(cString: $0) } ?? "zlib says \(status)")
        }
    }

    private func look(at input: UnsafeRawBufferPointer, _ step: inout DecodingStep) {
        guard let first = input.first else { return }
        if first == Self.magic.0 {
            place = .maybeMember
            step.consumed += 1
        } else {
            place = .after
        }
    }

    private func lookAgain(at input: UnsafeRawBufferPointer, _ step: inout DecodingStep) {
        guard let second = input.first else { return }
        guard second == Self.magic.1 else {
            trailing += 1
            place = .after
            return
        }
        inflateReset(stream)
        place = .inside
        replay(Self.magic.0, &step)
    }
}
#endif
