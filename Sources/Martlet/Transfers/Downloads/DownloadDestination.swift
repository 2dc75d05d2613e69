// Where a download goes. Default: nothing that is there is replaced and no folder is made; a name that the server chooses is made fit
// to be one (RFC 6266, section 4.3).

import Foundation

/// Where a download is put when it is complete.
///
/// ```swift
/// let file = try await client.get("/big.iso").download(to: "/data/big.iso")
/// ```
///
/// A string literal is the path of the file.
public struct DownloadDestination: Sendable, Hashable, ExpressibleByStringLiteral {
    enum Place: Sendable, Hashable {
        case file(String)
        case directory(String, fallbackName: String)
    }

    let place: Place
    /// Whether a file of that name is replaced; false by default, and then the download ends with `fileExists`.
    public var replacesExisting = false
    /// Whether folders that are missing are made; false by default.
    public var createsDirectories = false

    private init(_ place: Place) { self.place = place }

    /// The file at a path.
    public init(stringLiteral path: String) { self.init(.file(path)) }

    /// The file at a path.
    public static func file(_ path: String) -> DownloadDestination { DownloadDestination(.file(path)) }

    /// A file in a folder, under the name that the server gives: that of its `Content-Disposition`, else the last part of the URL's
    /// path, else `fallbackName`. Whatever it is, no folder is left in it, no control character and no dot at its beginning.
    public static func directory(_ path: String, fallbackName: String = "download") -> DownloadDestination {
        DownloadDestination(.directory(path, fallbackName: fallbackName))
    }

    /// The same destination, where a file of that name is replaced once the download is complete.
    public func replacing() -> DownloadDestination {
        var copy = self
        copy.replacesExisting = true
        return copy
    }

    /// The same destination, with the folders on its way made when they are missing.
    public func creatingDirectories() -> DownloadDestination {
        var copy = self
        copy.createsDirectories = true
        return copy
    }
}

extension DownloadDestination {
    /// The folder.
    var directory: String {
        switch place {
        case .file(let path):
            guard let slash = path.lastIndex(of: "/") else { return "." }
            return slash == path.startIndex ? "/" : String(path[..<slash])
        case .directory(let path, _): return path.isEmpty ? "." : path
        }
    }

    /// The path of the file, as far as it is known: with the response's head when the server has a say in it.
    func path(_ head: ResponseHead?, from url: RequestURL) -> String {
        switch place {
        case .file(let path): path
        case .directory(_, let fallback):
            joined(head?.headers.disposition?.safeFilename ?? Self.name(of: url) ?? fallback)
        }
    }

    /// The path that the unfinished file is beside: it must be the same before the server has said anything.
    func partialBase(from url: RequestURL) -> String { path(nil, from: url) }

    private func joined(_ name: String) -> String {
        let folder = directory
        return folder.hasSuffix("/") ? folder + name : "\(folder)/\(name)"
    }

    private static func name(of url: RequestURL) -> String? {
        let last = url.path.split(separator: "/").last.map(String.init) ?? ""
        return ContentDisposition.safe(last.removingPercentEncoding ?? last)
    }
}
