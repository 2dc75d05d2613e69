// Content codings (RFC 9110, section 8.4.1): gzip and deflate with the trait Zlib, on by default; brotli (RFC 7932) and zstd
// (RFC 8878) with the traits Brotli and Zstd, off by default. A request asks for just those that the build decodes.

import Foundation

/// A way in which the bytes of a body are compressed.
public struct ContentCoding: Sendable, Hashable, CustomStringConvertible {
    enum Kind: UInt8, Sendable {
        case gzip, deflate, brotli, zstd
    }

    let kind: Kind

    /// gzip (RFC 1952).
    public static let gzip = ContentCoding(kind: .gzip)
    /// deflate: zlib's format (RFC 1950), or the bare one (RFC 1951), which some servers send under this name.
    public static let deflate = ContentCoding(kind: .deflate)
    /// brotli (RFC 7932).
    public static let brotli = ContentCoding(kind: .brotli)
    /// zstd (RFC 8878).
    public static let zstd = ContentCoding(kind: .zstd)

    /// The codings that this build takes off a response, as its package traits say.
    public static let decodable: [ContentCoding] = {
        var codings: [ContentCoding] = []
        #if Zlib
        codings += [.gzip, .deflate]
        #endif
        #if Brotli
        codings.append(.brotli)
        #endif
        #if Zstd
        codings.append(.zstd)
        #endif
        return codings
    }()

    /// The coding's name on the wire.
    public var name: String {
        switch kind {
        case .gzip: "gzip"
        case .deflate: "deflate"
        case .brotli: "br"
        case .zstd: "zstd"
        }
    }

    /// The coding's name on the wire.
    public var description: String { name }

    /// The `Accept-Encoding` that lists all of them; nil when there are none.
    static let acceptList: String? = decodable.isEmpty ? nil : decodable.map(\.name).joined(separator: ", ")
}

extension ContentCoding {
    /// What a response says of the codings of its body.
    enum Listed: Equatable, Sendable {
        /// In the order in which they have to be taken off; empty when there are none.
        case codings([ContentCoding])
        /// One of them is not known or not built in.
        case unknown
        /// More than are taken off.
        case tooMany(Int)
    }

    /// The most codings that are taken off one body. No server has a use for two.
    static let mostStacked = 3

    /// Reads the `Content-Encoding` of a response; `identity` and empty elements of the list count for nothing.
    static func listed(in headers: HTTPHeaders) -> Listed {
        let names = headers.values(for: "Content-Encoding").flatMap { value in
            value.utf8.split(separator: UInt8(ascii: ",")).map {
                HeaderParameters.trimmed(String(Substring($0))).lowercased()
            }
        }.filter { !$0.isEmpty && $0 != "identity" }
        guard names.count <= mostStacked else { return .tooMany(names.count) }
        var codings: [ContentCoding] = []
        for name in names.reversed() {
            guard let coding = decodable.first(where: { $0.answers(to: name) }) else { return .unknown }
            codings.append(coding)
        }
        return .codings(codings)
    }

    /// Whether this is what a name in small letters means: `x-gzip` is another for gzip (RFC 9110, section 8.4.1.3).
    private func answers(to name: String) -> Bool { name == self.name || (kind == .gzip && name == "x-gzip") }
}
