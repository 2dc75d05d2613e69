// What an answer to a request for the rest of a file means, as a value (RFC 9110, sections 13.1.5, 14.4 and 15.3.7; 15.5.17 for 416).
// A part that is not the one asked for, or of another version of the file, is never used.

import Foundation

/// The fields by which a server tells versions of a file apart.
struct DownloadValidators: Codable, Sendable, Hashable {
    var etag: String?
    var lastModified: String?
    /// What a request for a part names so that it gets one of the same version only; nil when nothing is strong enough for that.
    var ifRange: String?

    init() {}

    init(_ headers: HTTPHeaders) {
        etag = headers.etag
        lastModified = headers.lastModified
        if let etag {
            // A weak tag says that two versions mean the same, not that their bytes are the same.
            ifRange = Self.isStrong(etag) ? etag : nil
        } else if let modified = headers.date(for: "Last-Modified"), let date = headers.date(for: "Date"),
            date.secondsSince1970 - modified.secondsSince1970 >= 60
        {
            // One that is as good as the present may change within its second (RFC 9110, section 8.8.2.2).
            ifRange = lastModified
        }
    }

    /// Whether the fields of another answer do not say that it is of another version.
    func agree(with other: DownloadValidators) -> Bool {
        if let etag, let theirs = other.etag { return etag == theirs }
        if let lastModified, let theirs = other.lastModified { return lastModified == theirs }
        return true
    }

    private static func isStrong(_ tag: String) -> Bool {
        tag.utf8.count >= 2 && tag.hasPrefix("\"") && tag.hasSuffix("\"")
    }
}

/// A `Content-Range` in bytes.
struct ContentRange: Equatable, Sendable {
    /// The first byte and the last; nil in the form of a 416.
    var bounds: ClosedRange<Int>?
    var total: Int?

    init?(_ text: String) {
        let words = text.split(separator: " ", omittingEmptySubsequences: true)
        guard words.count == 2, words[0].lowercased() == "bytes" else { return nil }
        let parts = words[1].split(separator: "/", omittingEmptySubsequences: false)
        guard parts.count == 2 else { return nil }
        if parts[1] != "*" {
            guard let number = Self.number(parts[1]) else { return nil }
            total = number
        }
        if parts[0] == "*" {
            if total == nil { return nil }
            return
        }
        let ends = parts[0].split(separator: "-", omittingEmptySubsequences: false)
        guard ends.count == 2, let first = Self.number(ends[0]), let last = Self.number(ends[1]), first <= last,
            last < total ?? .max
        else { return nil }
        bounds = first...last
    }

    private static func number(_ text: Substring) -> Int? {
        guard !text.isEmpty, text.utf8.allSatisfy({ $0 &- 0x30 < 10 }) else { return nil }
        return Int(text)
    }
}

/// The part of a file that was asked for.
struct RangeQuestion: Sendable, Equatable {
    /// The first byte.
    var start: Int
    /// The last byte; nil for the rest.
    var last: Int?
    /// The length of the file, where it is known.
    var total: Int?
    var validators: DownloadValidators
}

/// What an answer means.
enum RangeAnswer: Sendable, Equatable {
    /// The whole file, from its first byte.
    case whole
    /// The bytes from `start` on, so many of them.
    case part(start: Int, count: Int, total: Int?)
    /// There is nothing behind what is there.
    case complete
    /// What is there is of no use: begin anew.
    case stale
    /// The answer cannot be trusted; says why.
    case refused(String)
    /// An answer that says nothing about ranges.
    case other

    init(_ head: ResponseHead, to question: RangeQuestion?) {
        switch head.status.code {
        case 206: self = Self.part(head, question)
        case 416:
            guard let question else {
                self = .other
                return
            }
            let total = head.headers["Content-Range"].flatMap { ContentRange($0) }?.total
            let isSame = question.validators.agree(with: DownloadValidators(head.headers))
            self =
                isSame && total == question.start && question.total ?? question.start == question.start
                ? .complete : .stale
        case 200..<300: self = .whole
        default: self = .other
        }
    }

    private static func part(_ head: ResponseHead, _ question: RangeQuestion?) -> RangeAnswer {
        guard let question else { return .refused("it sent a part that nobody asked for") }
        guard question.validators.agree(with: DownloadValidators(head.headers)) else { return .stale }
        let fields = head.headers.values(for: "Content-Range")
        guard fields.count == 1, let range = ContentRange(fields[0]), let bounds = range.bounds else {
            return .refused("it sent a part without saying which")
        }
        let last = question.last ?? .max
        guard bounds.lowerBound == question.start, bounds.upperBound <= last else {
            return .refused("it sent another part than the one asked for")
        }
        if let known = question.total, let total = range.total, known != total { return .stale }
        let count = bounds.upperBound - bounds.lowerBound + 1
        if let length = head.headers.contentLength, length != count {
            return .refused("it sent a part of another length than it says")
        }
        return .part(start: question.start, count: count, total: range.total ?? question.total)
    }
}
