// Header blocks of HTTP/2 (RFC 7541). What a test gives as bytes is sent as it is; what it gives as fields is compressed by
// nghttp2's encoder when it is sent, whatever the fields say, so that the client's decoder and its table are at work as with a
// real server.

#if SocketTransport && os(Linux)
import CNGHTTP2
#endif

/// Writes header blocks as literals, which leave the tables of client and server alone.
public enum HTTP2FieldBlock {
    /// Fields as literals without indexing (RFC 7541, section 6.2.2), neither compressed nor checked.
    public static func encode(_ fields: [(name: String, value: String)]) -> [UInt8] {
        fields.flatMap { encode(name: Array($0.name.utf8), value: Array($0.value.utf8)) }
    }

    /// One field of any bytes.
    public static func encode(name: [UInt8], value: [UInt8]) -> [UInt8] {
        [0x00] + string(name) + string(value)
    }

    private static func string(_ bytes: [UInt8]) -> [UInt8] {
        var length: [UInt8] = []
        if bytes.count < 127 {
            length.append(UInt8(bytes.count))
        } else {
            length.append(127)
            var rest = bytes.count - 127
            while rest >= 128 {
                length.append(UInt8(rest & 127) | 128)
                rest >>= 7
            }
            length.append(UInt8(rest))
        }
        return length + bytes
    }
}

#if SocketTransport && os(Linux)
/// Compresses the header blocks of one connection. Used by the connection's actor only.
final class HTTP2FieldEncoder {
    private var deflater: OpaquePointer?

    init() { nghttp2_hd_deflate_new(&deflater, 4_096) }

    deinit { nghttp2_hd_deflate_del(deflater) }

    func encode(_ fields: [RecordedRequest.Field]) -> [UInt8] {
        var bytes: [UInt8] = []
        var places: [(name: Range<Int>, value: Range<Int>)] = []
        for field in fields {
            let start = bytes.count
            bytes += field.name.utf8
            let middle = bytes.count
            bytes += field.value.utf8
            places.append((start..<middle, middle..<bytes.count))
        }
        var block = [UInt8](repeating: 0, count: 64 + 2 * bytes.count + 16 * fields.count)
        let count = bytes.withUnsafeMutableBufferPointer { text in
            var pairs = places.map { place in
                nghttp2_nv(
                    name: text.baseAddress.map { $0 + place.name.lowerBound },
                    value: text.baseAddress.map { $0 + place.value.lowerBound },
                    namelen: place.name.count, valuelen: place.value.count, flags: 0)
            }
            return block.withUnsafeMutableBufferPointer {
                nghttp2_hd_deflate_hd(deflater, $0.baseAddress, $0.count, &pairs, pairs.count)
            }
        }
        return Array(block.prefix(max(0, count)))
    }
}

/// Reads the header blocks of one connection. Used by the connection's actor only.
final class HTTP2FieldDecoder {
    private var inflater: OpaquePointer?

    init() { nghttp2_hd_inflate_new(&inflater) }

    deinit { nghttp2_hd_inflate_del(inflater) }

    func decode(_ block: [UInt8]) throws(TestServerError) -> [RecordedRequest.Field] {
        var fields: [RecordedRequest.Field] = []
        var offset = 0
        while true {
            var pair = nghttp2_nv()
            var flags: Int32 = 0
            let used = block.withUnsafeBufferPointer {
                nghttp2_hd_inflate_hd2(
                    inflater, &pair, &flags, $0.baseAddress.map { $0 + offset }, block.count - offset, 1)
            }
            guard used >= 0 else { throw .malformedRequest("its header block cannot be decoded") }
            offset += used
            if flags & Int32(NGHTTP2_HD_INFLATE_EMIT.rawValue) != 0 {
                fields.append(
                    .init(
                        Self.text(pair.name, pair.namelen), Self.text(pair.value, pair.valuelen)))
            }
            if flags & Int32(NGHTTP2_HD_INFLATE_FINAL.rawValue) != 0 { break }
            if flags & Int32(NGHTTP2_HD_INFLATE_EMIT.rawValue) == 0, offset == block.count { break }
        }
        nghttp2_hd_inflate_end_headers(inflater)
        return fields
    }

    private static func text(_ bytes: UnsafeMutablePointer<UInt8>?, _ count: Int) -> String {
        String(decoding: UnsafeBufferPointer(start: bytes, count: count), as: UTF8.self)
    }
}
#endif
