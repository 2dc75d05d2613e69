// The chunked coding (RFC 9112, section 7.1), a byte at a time: at most 16 hexadecimal digits, CR LF everywhere, extensions skipped
// but counted. Trailers are read as fields; those that must not come so late (RFC 9110, section 6.5.1) are dropped.

extension HTTP1Parser {
    /// Expects the size of a chunk.
    mutating func startChunk() {
        state = .chunkSize
        remaining = 0
        chunkDigits = 0
        chunkExtensionBytes = 0
    }

    /// Reads a byte of what stands between the data of two chunks.
    mutating func readChunkFraming(_ byte: UInt8) throws(MartletError) {
        switch state {
        case .chunkSize: try readChunkSize(byte)
        case .chunkPadding:
            guard Self.isSpace(byte) || byte == UInt8(ascii: ";") else { throw Self.badChunkSize }
            try countExtension()
            if byte == UInt8(ascii: ";") { state = .chunkExtension }
        case .chunkExtension:
            if byte == 0x0D {
                state = .chunkSizeLineFeed
            } else {
                guard HTTPSyntax.isValueByte(byte) else {
                    throw Self.invalid("A chunk extension of the response holds a control character.")
                }
                try countExtension()
            }
        case .chunkSizeLineFeed:
            guard byte == 0x0A else { throw Self.badChunkSize }
            if remaining == 0 { startTrailers() } else { state = .chunkData }
        case .chunkDataReturn:
            guard byte == 0x0D else { throw Self.badChunkEnd }
            state = .chunkDataLineFeed
        case .chunkDataLineFeed:
            guard byte == 0x0A else { throw Self.badChunkEnd }
            startChunk()
        default: break
        }
    }

    private mutating func readChunkSize(_ byte: UInt8) throws(MartletError) {
        if let digit = Self.hexValue(byte) {
            chunkDigits += 1
            guard chunkDigits <= 16, remaining <= Int.max >> 4 else {
                throw Self.invalid("A chunk of the response declares a size that is too large.")
            }
            remaining = remaining << 4 | digit
            return
        }
        guard chunkDigits > 0 else { throw Self.badChunkSize }
        switch byte {
        case 0x0D: state = .chunkSizeLineFeed
        case 0x20, 0x09:
            try countExtension()
            state = .chunkPadding
        case UInt8(ascii: ";"):
            try countExtension()
            state = .chunkExtension
        default: throw Self.badChunkSize
        }
    }

    private mutating func countExtension() throws(MartletError) {
        chunkExtensionBytes += 1
        used += 1
        guard chunkExtensionBytes <= limits.chunkExtensionBytes, used <= limits.headBytes else {
            throw MartletError(.headTooLarge, "The chunk extensions of the response exceed their limit.")
        }
    }

    private mutating func startTrailers() {
        state = .trailers
        headers = HTTPHeaders()
    }

    mutating func completeTrailers() -> Event {
        var trailers = HTTPHeaders()
        swap(&trailers, &headers)
        return end(trailers: trailers.isEmpty ? nil : trailers, persists: framing.persists(version))
    }

    private static func hexValue(_ byte: UInt8) -> Int? {
        switch byte {
        case UInt8(ascii: "0")...UInt8(ascii: "9"): Int(byte) - 0x30
        case UInt8(ascii: "A")...UInt8(ascii: "F"): Int(byte) - 0x41 + 10
        case UInt8(ascii: "a")...UInt8(ascii: "f"): Int(byte) - 0x61 + 10
        default: nil
        }
    }

    private static var badChunkSize: MartletError {
        invalid("A chunk of the response does not begin with a hexadecimal size and CR LF.")
    }

    private static var badChunkEnd: MartletError {
        invalid("A chunk of the response is not followed by CR LF.")
    }
}
