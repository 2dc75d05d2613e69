// Header fields, in order, repeated ones kept, names without regard to case (RFC 9110, section 5). One byte buffer and an array
// of small records, so that a parsed head costs two allocations, the encoder copies bytes, and strings are made on access.

/// The header fields of a message: ordered, with names that differ in case only being the same.
///
/// A field may be repeated (`append`); setting one replaces all of its name in the place of the first. Illegal bytes are refused
/// when the message is sent, with `invalidRequest`. A received value that is not UTF-8 reads as Latin-1.
///
/// ```swift
/// var headers: HTTPHeaders = ["Accept": "text/csv"]
/// headers["Accept-Language"] = "de"
/// headers.append("Link", "</a>; rel=prev")
/// ```
public struct HTTPHeaders: Sendable {
    /// Where one field's name and value stand in the buffer.
    struct Record: Sendable {
        var nameStart: Int
        var nameLength: Int
        var valueStart: Int
        var valueLength: Int

        var name: Range<Int> { nameStart..<(nameStart + nameLength) }
        var value: Range<Int> { valueStart..<(valueStart + valueLength) }
    }

    private(set) var bytes: [UInt8] = []
    private(set) var records: [Record] = []
    /// Whether all fields are known to be legal, and to be none that the encoder treats in a way of its own.
    private(set) var isPlain = false

    /// No fields.
    public init() {}

    /// The fields of a sequence, repeated ones kept.
    public init(_ fields: some Sequence<Field>) {
        for field in fields { append(field) }
    }

    /// The first value of the fields called `name`. Setting one replaces all of them in the place of the first; nil removes them.
    public subscript(name: String) -> String? {
        get { firstIndex(named: name).map { text(records[$0].value) } }
        set {
            if let newValue { set(name, newValue) } else { remove(name) }
        }
    }

    /// All values of the fields called `name`, in order.
    public func values(for name: String) -> [String] {
        indices(named: name).map { text(records[$0].value) }
    }

    /// The values of the fields called `name` as one list, joined by a comma (RFC 9110, section 5.3); nil when there are none.
    ///
    /// Not for `Set-Cookie`, which cannot be joined.
    public func combined(for name: String) -> String? {
        let all = values(for: name)
        return all.isEmpty ? nil : all.joined(separator: ", ")
    }

    /// Whether there is a field called `name`.
    public func contains(_ name: String) -> Bool { firstIndex(named: name) != nil }

    /// The distinct names, each as it is spelled first, in order.
    public var names: [String] {
        var seen = Set<String>()
        return map(\.name).filter { seen.insert($0.lowercased()).inserted }
    }

    /// The fields as a dictionary, repeated ones joined by a comma.
    public var dictionary: [String: String] {
        Dictionary(uniqueKeysWithValues: names.map { ($0, combined(for: $0) ?? "") })
    }

    /// Adds a field at the end, whatever fields of that name there are. Space around the value is dropped.
    public mutating func append(_ name: String, _ value: String) {
        records.append(store(name, value))
    }

    /// Adds a field at the end, whatever fields of that name there are.
    public mutating func append(_ field: Field) { append(field.name, field.value) }

    /// Replaces all fields called `name` by this one, in the place of the first and with the new spelling; adds it when there is none.
    public mutating func set(_ name: String, _ value: String) {
        let found = indices(named: name)
        guard let first = found.first else { return append(name, value) }
        records[first] = store(name, value)
        removeRecords(found.dropFirst())
        compactIfWasteful()
    }

    /// Replaces all fields of that name by this one, in the place of the first.
    public mutating func set(_ field: Field) { set(field.name, field.value) }

    /// Removes all fields called `name`.
    public mutating func remove(_ name: String) {
        removeRecords(indices(named: name)[...])
        compactIfWasteful()
    }

    /// Takes the fields of `other`: each name in it replaces the fields of that name here, repeated ones stay repeated.
    public mutating func merge(_ other: HTTPHeaders) {
        for (index, field) in other.enumerated() {
            if other.firstIndex(named: field.name) == index { set(field) } else { append(field) }
        }
    }

    /// These fields, with those of `other` in place of the ones of the same name.
    public func merging(_ other: HTTPHeaders) -> HTTPHeaders {
        var merged = self
        merged.merge(other)
        return merged
    }

    /// The fields ordered by name; those of one name keep their order.
    public func sorted() -> HTTPHeaders {
        let keyed = enumerated().map { (key: $1.name.lowercased(), index: $0, field: $1) }
        return HTTPHeaders(keyed.sorted { ($0.key, $0.index) < ($1.key, $1.index) }.map(\.field))
    }

    /// Orders the fields by name; those of one name keep their order.
    public mutating func sort() { self = sorted() }
}

extension HTTPHeaders {
    /// Adds a field whose bytes were checked before, as a parser does.
    package mutating func append(nameBytes: UnsafeRawBufferPointer, valueBytes: UnsafeRawBufferPointer) {
        isPlain = false
        let start = bytes.count
        bytes.append(contentsOf: nameBytes)
        appendSeparator()
        records.append(
            Record(
                nameStart: start, nameLength: nameBytes.count, valueStart: bytes.count, valueLength: valueBytes.count))
        bytes.append(contentsOf: valueBytes)
    }

    /// The fields of a head that was checked before, whose places in `block` the records give.
    init(block: UnsafeBufferPointer<UInt8>, records: [Record]) {
        bytes = Array(block)
        self.records = records
    }

    /// Adds a field from the line of a head that was checked before; the ranges lie within the line.
    mutating func append(line: Span<UInt8>, name: Range<Int>, value: Range<Int>) {
        isPlain = false
        let start = bytes.count
        line.withUnsafeBufferPointer { bytes.append(contentsOf: $0) }
        records.append(
            Record(
                nameStart: start + name.lowerBound, nameLength: name.count, valueStart: start + value.lowerBound,
                valueLength: value.count))
    }

    /// Name and value lie beside each other as they will on the wire, so that the encoder can copy both at once.
    private mutating func appendSeparator() {
        bytes.append(UInt8(ascii: ":"))
        bytes.append(0x20)
    }

    /// Makes room, so that a head of a usual size costs two allocations.
    package mutating func reserve(fields: Int, bytes count: Int) {
        records.reserveCapacity(fields)
        bytes.reserveCapacity(count)
    }

    /// Gives the bytes of a field to `body`, without making strings.
    package func withFieldBytes<Result>(
        at index: Int, _ body: (_ name: UnsafeRawBufferPointer, _ value: UnsafeRawBufferPointer) -> Result
    ) -> Result {
        let record = records[index]
        return bytes.withUnsafeBytes {
            body(UnsafeRawBufferPointer(rebasing: $0[record.name]), UnsafeRawBufferPointer(rebasing: $0[record.value]))
        }
    }

    /// Looks at all fields once, for fields that are sent again and again.
    mutating func noteWhetherPlain() {
        isPlain =
            (try? validate()) != nil && !contains { HTTPHeaders.specialInRequests.contains($0.name.lowercased()) }
    }

    /// The place of the first field called `name`, a literal in small ASCII letters.
    package func firstIndex(ofLowercasedASCII name: StaticString) -> Int? {
        let wanted = UnsafeBufferPointer(start: name.utf8Start, count: name.utf8CodeUnitCount)
        return firstIndex(equalTo: wanted.span, from: 0)
    }

    /// The place of the first field called `name`, looked for from `start`.
    package func firstIndex(named name: String, from start: Int = 0) -> Int? {
        var name = name
        return name.withUTF8 { firstIndex(equalTo: $0.span, from: start) }
    }

    private func firstIndex(equalTo wanted: Span<UInt8>, from start: Int) -> Int? {
        let all = bytes.span
        var index = start
        while index < records.count {
            let record = records[index]
            if record.nameLength == wanted.count,
                HTTPSyntax.equalIgnoringCase(all.extracting(record.name), wanted)
            {
                return index
            }
            index += 1
        }
        return nil
    }

    private func indices(named name: String) -> [Int] {
        var found: [Int] = []
        while let next = firstIndex(named: name, from: found.last.map { $0 + 1 } ?? 0) { found.append(next) }
        return found
    }

    private mutating func removeRecords(_ indices: ArraySlice<Int>) {
        for index in indices.reversed() { records.remove(at: index) }
    }

    private mutating func store(_ name: String, _ value: String) -> Record {
        isPlain = false
        let start = bytes.count
        bytes.append(contentsOf: name.utf8)
        let nameLength = bytes.count - start
        appendSeparator()
        let valueStart = bytes.count
        bytes.append(contentsOf: value.utf8)
        var range = valueStart..<bytes.count
        while let first = range.first, Self.isSpace(bytes[first]) { range = (first + 1)..<range.upperBound }
        while let last = range.last, Self.isSpace(bytes[last]) { range = range.lowerBound..<last }
        return Record(
            nameStart: start, nameLength: nameLength, valueStart: range.lowerBound, valueLength: range.count)
    }

    private static func isSpace(_ byte: UInt8) -> Bool { byte == 0x20 || byte == 0x09 }

    /// Replaced and removed fields leave their bytes behind; setting a field over and over must not grow the buffer for ever.
    private mutating func compactIfWasteful() {
        let live = records.reduce(0) { $0 + $1.nameLength + $1.valueLength + 2 }
        guard bytes.count > 2 * live + 256 else { return }
        var compact = HTTPHeaders()
        compact.reserve(fields: records.count, bytes: live)
        for index in records.indices {
            withFieldBytes(at: index) { compact.append(nameBytes: $0, valueBytes: $1) }
        }
        self = compact
    }

    /// The text of a part of the buffer: UTF-8 when it is, Latin-1 otherwise.
    func text(_ range: Range<Int>) -> String {
        bytes.withUnsafeBufferPointer { all in
            let part = UnsafeBufferPointer(rebasing: all[range])
            return String(validating: part, as: UTF8.self)
                ?? String(decoding: part.lazy.map(UInt16.init), as: UTF16.self)
        }
    }
}
