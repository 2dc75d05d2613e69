// Parts in the order in which they go on the wire, each with its delimiter and head as bytes already (RFC 2046, section 5.1.1). The
// lengths of all parts are asked for before anything is sent; files are opened again, one at a time, when it is their turn, so that a
// thousand files need one descriptor.

import Foundation

struct MultipartLayout: Sendable {
    /// More parts than this are a mistake, and more than any server reads.
    static let maximumParts = 100_000

    private struct Section: Sendable {
        var head: Data
        var body: RequestBody
    }

    private let boundary: MultipartBoundary
    private let contentType: String
    private var sections: [Section] = []

    init(boundary: MultipartBoundary, contentType: String) throws(MartletError) {
        try boundary.validate()
        self.boundary = boundary
        self.contentType = contentType
    }

    /// Adds a part; throws what is wrong with it.
    mutating func append(_ part: MultipartPart, headers: HTTPHeaders) throws(MartletError) {
        if let failure = part.failure { throw failure }
        guard sections.count < Self.maximumParts else {
            throw MartletError(.encodingFailed, "A multipart body has at most \(Self.maximumParts) parts.")
        }
        try headers.validate()
        var head = Data((sections.isEmpty ? "--" : "\r\n--").utf8)
        head.append(contentsOf: boundary.text.utf8)
        head.append(contentsOf: "\r\n".utf8)
        for index in headers.indices {
            headers.withFieldBytes(at: index) { name, value in
                head.append(contentsOf: name)
                head.append(contentsOf: ": ".utf8)
                head.append(contentsOf: value)
                head.append(contentsOf: "\r\n".utf8)
            }
        }
        head.append(contentsOf: "\r\n".utf8)
        sections.append(Section(head: head, body: part.body))
    }

    private var end: Data { Data("\r\n--\(boundary.text)--\r\n".utf8) }

    func requestBody() throws(MartletError) -> RequestBody {
        guard !sections.isEmpty else {
            throw MartletError(.encodingFailed, "A multipart body needs at least one part.")
        }
        return .composed(
            length: try length(of: sections.map(\.body.length)),
            isReplayable: sections.allSatisfy(\.body.isReplayable), contentType: contentType
        ) { [self] in try await open() }
    }

    /// The length of it all; nil when that of a part is not known.
    private func length(of lengths: [Int?]) throws(MartletError) -> Int? {
        var total = end.count
        for (section, length) in zip(sections, lengths) {
            guard let length else { return nil }
            let (withHead, isTooLong) = total.addingReportingOverflow(section.head.count)
            let (withBody, isStillTooLong) = withHead.addingReportingOverflow(length)
            guard !isTooLong, !isStillTooLong, length >= 0 else {
                throw MartletError(.invalidRequest, "The lengths of the parts do not make a length.")
            }
            total = withBody
        }
        return total
    }

    /// A part whose length has been asked for.
    private enum Content: Sendable {
        case opened(OpenedBody)
        case file(path: String, length: Int?)

        var length: Int? {
            switch self {
            case .opened(let body): body.length
            case .file(_, let length): length
            }
        }
    }

    private func open() async throws -> OpenedBody {
        var contents: [Content] = []
        for section in sections {
            try Task.checkCancellation()
            if case .file(let path) = section.body.kind {
                contents.append(.file(path: path, length: try await BodyFile.open(path).length))
            } else {
                contents.append(.opened(try await section.body.open()))
            }
        }
        let length = try length(of: contents.map(\.length))
        return OpenedBody(length: length, content: .feed { [contents] in try await feed(contents, into: $0) })
    }

    private func feed(_ contents: [Content], into sink: @escaping RequestBody.Sink) async throws {
        let output = MultipartOutput(sink, guarding: boundary)
        for (section, content) in zip(sections, contents) {
            try await output.writeHead(section.head)
            switch content {
            case .opened(let body):
                switch body.content {
                case .empty: break
                case .data(let data): try await output.write(data)
                case .feed(let feed): try await feed { try await output.write($0) }
                }
            case .file(let path, let length):
                let file = try await BodyFile.open(path)
                guard file.length == length else {
                    throw MartletError(
                        .bodyLengthMismatch,
                        "The file \(path) has changed its size since the sending of its form began.")
                }
                try await file.feed { try await output.write($0) }
            }
        }
        try await output.finish(end)
    }
}
