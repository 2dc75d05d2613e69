// The short path for what nearly every response is: a final head that lies in the buffer in one piece, without a fault. It
// takes nothing that the long path would refuse, and leaves to it whatever is not plain, so that all strictness stays there.

#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#elseif canImport(Darwin)
import Darwin
#endif

extension HTTP1Parser {
    /// Reads a head that is complete and usual; nil, with nothing read, when the long path has to look at it.
    mutating func takeWholeHead(_ input: Span<UInt8>, _ offset: inout Int) throws(MartletError) -> Event? {
        guard partial.isEmpty, used < limits.headBytes else { return nil }
        let rest = input.extracting(offset...)
        guard let scan = rest.withUnsafeBufferPointer({ HeadScan($0, limits, room: limits.headBytes - used) }) else {
            return nil
        }
        offset += scan.length
        used += scan.length
        (version, status, reason, framing) = (scan.version, scan.status, scan.reason, scan.framing)
        try decideBody()
        return .head(ResponseHead(status: status, reason: reason, version: version, headers: scan.headers))
    }

    /// What one pass over a head gives.
    private struct HeadScan {
        let length: Int
        let version: HTTPVersion
        let status: HTTPStatus
        let reason: String
        let framing: Framing
        let headers: HTTPHeaders

        init?(_ bytes: UnsafeBufferPointer<UInt8>, _ limits: Limits, room: Int) {
            let bytes = UnsafeBufferPointer(rebasing: bytes.prefix(room))
            guard let base = bytes.baseAddress, HTTP1Parser.beginsUsually(bytes.span), base[9] != UInt8(ascii: "1"),
                let phraseEnd = Self.valueEnd(bytes, from: HTTP1Parser.lastFixedByte + 1)
            else { return nil }
            let first = phraseEnd + 2
            var records: [HTTPHeaders.Record] = []
            records.reserveCapacity(16)
            var framing = Framing()
            var line = first
            while line + 1 < bytes.count, base[line] != 0x0D {
                guard let colon = HTTPSyntax.firstNonToken(bytes, from: line), colon > line,
                    base[colon] == UInt8(ascii: ":")
                else { return nil }
                var start = colon + 1
                while start < bytes.count, HTTP1Parser.isSpace(base[start]) { start += 1 }
                guard let lineEnd = Self.valueEnd(bytes, from: start), records.count < limits.fields else { return nil }
                var end = lineEnd
                while end > start, HTTP1Parser.isSpace(base[end - 1]) { end -= 1 }
                if Framing.mayConcern(nameLength: colon - line) {
                    framing.read(
                        UnsafeBufferPointer(rebasing: bytes[line..<colon]).span,
                        UnsafeBufferPointer(rebasing: bytes[start..<end]).span)
                }
                records.append(
                    HTTPHeaders.Record(
                        nameStart: line - first, nameLength: colon - line, valueStart: start - first,
                        valueLength: end - start))
                line = lineEnd + 2
            }
            guard line + 1 < bytes.count, base[line + 1] == 0x0A else { return nil }
            length = line + 2
            version = base[7] == UInt8(ascii: "1") ? .http1_1 : .http1_0
            status = HTTPStatus(
                100 * Int(base[9] & 0x0F) + 10 * Int(base[10] & 0x0F) + Int(base[11] & 0x0F))
            let phrase = UnsafeBufferPointer(rebasing: bytes[(HTTP1Parser.lastFixedByte + 1)..<phraseEnd])
            reason = HTTP1Parser.reason(phrase.span, status)
            self.framing = framing
            headers = HTTPHeaders(block: UnsafeBufferPointer(rebasing: bytes[first..<line]), records: records)
        }

        /// Where the value that begins at `start` ends: at the first control character, which must be the CR of a CR LF.
        @inline(__always)
        private static func valueEnd(_ bytes: UnsafeBufferPointer<UInt8>, from start: Int) -> Int? {
            guard let end = HTTPSyntax.firstControl(bytes, from: start), end + 1 < bytes.count, bytes[end] == 0x0D,
                bytes[end + 1] == 0x0A
            else { return nil }
            return end
        }
    }
}
