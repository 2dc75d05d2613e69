// When a server asks to be called again: `Retry-After`, in seconds or as a date (RFC 9110, section 10.2.3). What cannot be read
// is as if it were not there.

import Foundation

enum RetryAfter {
    /// How long to wait from `now`; nil without a field that can be read. A date that has passed is no wait.
    static func wait(_ headers: HTTPHeaders, at now: Date) -> Duration? {
        guard let text = headers["Retry-After"] else { return nil }
        if !text.isEmpty, text.utf8.allSatisfy({ (0x30...0x39).contains($0) }) {
            // More digits than a number holds are a long wait all the same.
            return .seconds(min(Int(text) ?? .max, Self.longest))
        }
        return nil
    }

    /// A hundred years: no policy waits longer, and sums stay in range.
    private static let longest = 3_155_760_000
}
