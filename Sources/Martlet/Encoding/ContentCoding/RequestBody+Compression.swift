// A request body in a coding: bytes at once, everything else on its way.

import Foundation

extension RequestBody {
    /// The body compressed; nil when it would not become smaller.
    ///
    /// - Throws: `unsupported` for a coding that this build does not write.
    func compressed(_ compression: RequestCompression) throws(MartletError) -> RequestBody? {
        #if Zlib
        guard compression.coding == .gzip || compression.coding == .deflate else {
            throw Self.unsupported(compression.coding)
        }
        if case .data(let data) = kind { return try compressed(data, compression) }
        let body = self
        var compressed = RequestBody.composed(length: nil, isReplayable: isReplayable, contentType: "") {
            guard case .feed(let feed) = try await body.open().content else {
                return OpenedBody(length: 0, content: .empty)
            }
            return OpenedBody(length: nil, content: .feed { try await Self.compress(feed, compression, into: $0) })
        }
        compressed.contentType = contentType
        compressed.fixesContentType = fixesContentType
        return compressed
        #else
        throw Self.unsupported(compression.coding)
        #endif
    }

    private static func unsupported(_ coding: ContentCoding) -> MartletError {
        MartletError(
            .unsupported,
            "This build does not compress request bodies with \(coding): use gzip or deflate, with the trait Zlib.")
    }

    #if Zlib
    private func compressed(
        _ data: Data, _ compression: RequestCompression
    ) throws(MartletError) -> RequestBody? {
        let deflater = Deflater(compression)
        deflater.push(data)
        var compressed = Data()
        while let piece = try deflater.next(finishing: true) {
            compressed.append(piece)
            guard compressed.count < data.count else { return nil }
        }
        var body = RequestBody.data(compressed, contentType: contentType)
        body.fixesContentType = fixesContentType
        return body
    }

    private static func compress(
        _ feed: @Sendable (@escaping Sink) async throws -> Void, _ compression: RequestCompression,
        into sink: @escaping Sink
    ) async throws {
        // A feed calls its sink one call after the other; the lock is what lets it be shared all the same.
        let deflater = Lock(Deflater(compression))
        try await feed { chunk in
            deflater.withLock { $0.push(chunk) }
            while let piece = try deflater.withLock({ deflater throws(MartletError) in
                try deflater.next(finishing: false)
            }) {
                try await sink(piece)
            }
        }
        while let piece = try deflater.withLock({ deflater throws(MartletError) in try deflater.next(finishing: true) })
        {
            try await sink(piece)
        }
    }
    #endif
}
