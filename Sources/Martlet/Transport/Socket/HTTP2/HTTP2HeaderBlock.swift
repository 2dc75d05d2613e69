// Where the fields of a header block lie while it comes in. A session receives one block at a time (RFC 9113, section 4.3), so
// that one such place serves all its streams, and a head costs two allocations however many fields it has.

#if SocketTransport && os(Linux)

/// The fields of the header block that a session receives. Used on the loop's thread only.
final class HTTP2HeaderBlock {
    private var bytes = UnsafeMutableBufferPointer<UInt8>.allocate(capacity: 1_024)
    private var records = UnsafeMutableBufferPointer<HTTPHeaders.Record>.allocate(capacity: 32)
    private var byteCount = 0
    private var recordCount = 0

    deinit {
        bytes.deallocate()
        records.deallocate()
    }

    func removeAll() {
        byteCount = 0
        recordCount = 0
    }

    /// Adds a field; whoever calls bounds how much may come.
    func append(_ name: UnsafeRawBufferPointer, _ value: UnsafeRawBufferPointer) {
        let end = byteCount + name.count + 2 + value.count
        if end > bytes.count { bytes = Self.grown(bytes, byteCount, to: end) }
        if recordCount == records.count { records = Self.grown(records, recordCount, to: recordCount + 1) }
        let bytes = bytes
        let records = records
        var place = UnsafeMutableRawBufferPointer(rebasing: UnsafeMutableRawBufferPointer(bytes)[byteCount..<end])
        place.copyMemory(from: name)
        place = UnsafeMutableRawBufferPointer(rebasing: place[name.count...])
        place[0] = UInt8(ascii: ":")
        place[1] = 0x20
        UnsafeMutableRawBufferPointer(rebasing: place[2...]).copyMemory(from: value)
        records.initializeElement(
            at: recordCount,
            to: HTTPHeaders.Record(
                nameStart: byteCount, nameLength: name.count, valueStart: end - value.count, valueLength: value.count))
        recordCount += 1
        byteCount = end
    }

    private static func grown<Element>(
        _ buffer: UnsafeMutableBufferPointer<Element>, _ count: Int, to least: Int
    ) -> UnsafeMutableBufferPointer<Element> {
        let larger = UnsafeMutableBufferPointer<Element>.allocate(capacity: max(2 * buffer.count, least))
        _ = larger.moveInitialize(fromContentsOf: buffer.extracting(..<count))
        buffer.deallocate()
        return larger
    }

    /// The fields that have come, which are taken out.
    func take() -> HTTPHeaders {
        defer { removeAll() }
        return HTTPHeaders(
            block: UnsafeBufferPointer(bytes.extracting(..<byteCount)),
            records: Array(records.extracting(..<recordCount)))
    }
}
#endif
