// What is kept beside an unfinished download, so that another process can go on: which file it is a part of and which bytes are there.
// No secrets: the URL without its query values, and a digest of the whole by which it is known again.

import Foundation

/// The sidecar of an unfinished download.
struct DownloadRecord: Codable, Sendable, Equatable {
    /// Bytes from `start` up to `end`, the latter not included.
    struct Span: Codable, Sendable, Hashable {
        var start: Int
        var end: Int
    }

    var format = 1
    var url: String
    var fingerprint: String?
    var validators: DownloadValidators
    var total: Int?
    /// The bytes that are there; nil: all that the file has, which is written from its beginning.
    var spans: [Span]?

    init(_ url: RequestURL, _ validators: DownloadValidators = DownloadValidators(), total: Int? = nil) {
        self.url = url.redactedDescription
        fingerprint = Self.fingerprint(of: url)
        self.validators = validators
        self.total = total
    }

    /// Whether the record is one of a file at this URL, in a version that can be asked for again.
    func belongs(to url: RequestURL) -> Bool {
        format == 1 && validators.ifRange != nil && self.url == url.redactedDescription
            && fingerprint == Self.fingerprint(of: url) && (fingerprint != nil || url.query == nil)
    }

    /// How many bytes there are from the beginning on, in a file of this size.
    func prefix(ofFileWith size: Int) -> Int {
        let known = total.map { min(size, $0) } ?? size
        guard let spans else { return known }
        var end = 0
        for span in spans.sorted(by: { $0.start < $1.start }) where span.start <= end { end = max(end, span.end) }
        return min(end, known)
    }

    private static func fingerprint(of url: RequestURL) -> String? {
        MessageDigest.sha256(of: Data(url.description.utf8)).map { String($0.hexadecimal.prefix(32)) }
    }
}

/// What an unfinished download can be taken up with, by another process too.
///
/// ```swift
/// let token = try await download.resumeToken()
/// ```
///
/// It names the unfinished file and the version of the file that it is a part of, and holds no secrets.
public struct ResumeToken: Codable, Sendable, Hashable {
    /// The path of the unfinished file.
    public let partialPath: String
    /// How many bytes are there.
    public let byteCount: Int
    /// The length of the whole file; nil when it is not known.
    public let total: Int?
    let validators: DownloadValidators
    let spans: [DownloadRecord.Span]?

    init(partialPath: String, _ record: DownloadRecord, size: Int) {
        self.partialPath = partialPath
        byteCount = record.spans?.reduce(0) { $0 + $1.end - $1.start } ?? record.prefix(ofFileWith: size)
        total = record.total
        validators = record.validators
        spans = record.spans
    }

    /// The record that the token stands for, at whatever URL the file is to be had now.
    func record(for url: RequestURL) -> DownloadRecord {
        var record = DownloadRecord(url, validators, total: total)
        record.spans = spans
        return record
    }
}
