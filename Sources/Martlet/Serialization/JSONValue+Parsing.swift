// JSON text to a value (RFC 8259), by Foundation's decoder.

public import Foundation

extension JSONValue {
    /// Reads a JSON text in UTF-8; a byte-order mark before it is skipped.
    ///
    /// Throws `decodingFailed`, with the decoder's error in `underlying`. Nesting is bounded by 512.
    public init(parsing data: Data) throws(MartletError) {
        let isMarked = data.starts(with: [0xEF, 0xBB, 0xBF])
        do {
            self = try JSONDecoder().decode(JSONValue.self, from: isMarked ? data.dropFirst(3) : data)
        } catch {
            throw MartletError(.decodingFailed, "The body is not JSON.", underlying: error)
        }
    }
}
