// The body to send, made of what the arguments say. It is opened before anything is sent, so that a file that cannot be read
// is found while nothing has happened yet.

import Foundation
import Martlet

/// A request body, and what is known of it beforehand.
struct Upload: Sendable {
    var body = RequestBody.empty
    var contentType: String?
    /// The bytes; nil when they are sent in chunks because nobody knows yet.
    var length: Int? = 0
    /// Whether the bytes are read while they are sent.
    var isStreamed = false
    /// Counts the bytes that the connection has taken.
    let progress = Progress()

    /// Opens the body; with `repeats` it can be sent any number of times.
    static func open(_ plan: RequestPlan, repeats: Bool = false) async throws -> Upload {
        var upload = Upload()
        if let source = plan.json {
            try await upload.set(source, ("application/json", "application/json"), repeats)
        } else if let source = plan.data {
            try await upload.set(source, ("text/plain; charset=utf-8", "application/octet-stream"), repeats)
        } else if plan.isForm {
            upload.set(FormText.encode(plan.members), "application/x-www-form-urlencoded")
        } else if !plan.members.isEmpty {
            upload.set(JSONText.object(plan.members), "application/json")
        }
        return upload
    }

    private mutating func set(_ text: String, _ contentType: String) {
        let data = Data(text.utf8)
        self.contentType = contentType
        length = data.count
        body = .data(data, contentType: contentType)
    }

    private mutating func set(
        _ source: BodySource, _ types: (text: String, file: String), _ repeats: Bool
    ) async throws {
        let file: InputFile
        switch source {
        case .text(let text): return set(text, types.text)
        case .file(let path): file = try InputFile.open(path)
        case .standardInput: file = .standardInput
        }
        contentType = types.file
        length = file.length
        isStreamed = length != nil || !repeats
        let chunks = InputChunks(file: file, progress: progress)
        if file.length != nil {
            body = .stream(length: length, contentType: contentType) { chunks }
        } else if repeats {
            var data = Data()
            for try await chunk in chunks { data.append(chunk) }
            length = data.count
            body = .data(data, contentType: contentType)
        } else {
            body = .oneShot(contentType: contentType, chunks)
        }
        progress.expect(length)
    }
}
