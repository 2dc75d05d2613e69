// Puts the parts of a request head one after the other into memory that was reserved for all of them.

/// Writes into a buffer. What does not fit is counted and not written, so that the count tells.
struct HeadWriter {
    private let buffer: UnsafeMutableBufferPointer<UInt8>

    /// Bytes given so far.
    private(set) var count = 0

    init(_ buffer: UnsafeMutableBufferPointer<UInt8>) { self.buffer = buffer }

    mutating func write(_ bytes: UnsafeBufferPointer<UInt8>) {
        if let source = bytes.baseAddress, let base = buffer.baseAddress, bytes.count <= buffer.count - count {
            (base + count).initialize(from: source, count: bytes.count)
        }
        count += bytes.count
    }

    mutating func write(_ text: StaticString) {
        write(UnsafeBufferPointer(start: text.utf8Start, count: text.utf8CodeUnitCount))
    }

    mutating func write(text: String) {
        var text = text
        text.withUTF8 { write($0) }
    }

    /// An array of at most `most` bytes, written by `body`; nil when it gave more.
    static func bytes(atMost most: Int, _ body: (inout HeadWriter) -> Void) -> [UInt8]? {
        var isWhole = false
        let bytes = [UInt8](unsafeUninitializedCapacity: most) { buffer, count in
            var writer = HeadWriter(buffer)
            body(&writer)
            isWhole = writer.count <= most
            count = isWhole ? writer.count : 0
        }
        return isWhole ? bytes : nil
    }

    /// The fields whose index `isIncluded` takes, a line each.
    mutating func write(_ headers: HTTPHeaders, where isIncluded: (_ index: Int) -> Bool) {
        headers.bytes.withUnsafeBufferPointer { all in
            for index in headers.records.indices where isIncluded(index) {
                let record = headers.records[index]
                if record.valueStart - record.name.upperBound == 2 {
                    write(UnsafeBufferPointer(rebasing: all[record.nameStart..<record.value.upperBound]))
                } else {
                    write(UnsafeBufferPointer(rebasing: all[record.name]))
                    write(": ")
                    write(UnsafeBufferPointer(rebasing: all[record.value]))
                }
                write("\r\n")
            }
        }
    }

    /// What tells where the body ends (RFC 9112, section 6).
    mutating func write(_ framing: HTTP1Encoder.Framing, _ method: HTTPMethod) {
        switch framing {
        case .none:
            // RFC 9110, section 8.6: a method that expects content says that there is none.
            if method == .post || method == .put || method == .patch || method == .query {
                write("Content-Length: 0\r\n")
            }
        case .length(let length):
            write("Content-Length: ")
            write(text: String(length))
            write("\r\n")
        case .chunked:
            write("Transfer-Encoding: chunked\r\n")
        }
    }
}
