// What a run is to do, in whichever program it is made.

package import BenchKit

/// What a run of a subject is given.
package struct Job: Sendable {
    package var url: String
    /// How many calls to make; nil: as many as fit in `seconds`.
    package var calls: Int?
    package var seconds: Double
    /// The certificate to trust, in PEM.
    package var authority: String?
    /// The folder of files that are served and sent.
    package var folder: String?
    /// Fewer and smaller.
    package var quick: Bool

    package init(
        url: String, calls: Int? = nil, seconds: Double, authority: String? = nil, folder: String? = nil,
        quick: Bool = false
    ) {
        self.url = url
        self.calls = calls
        self.seconds = seconds
        self.authority = authority
        self.folder = folder
        self.quick = quick
    }

    /// What a subject is given for the words of a command line.
    package init(_ single: Arguments.Single, url: String) {
        self.init(
            url: url, calls: single.calls, seconds: single.seconds ?? (single.quick ? 0.5 : 2),
            authority: single.authority, folder: single.folder, quick: single.quick)
    }

    /// The path of a file in the folder.
    package func file(_ name: String) throws -> String {
        guard let folder else { throw Failure("--folder is missing, with \(name) in it") }
        return "\(folder)/\(name)"
    }

    /// The address of another file on the same server.
    package func neighbour(_ name: String) -> String {
        let end = url.lastIndex(of: "/") ?? url.endIndex
        return "\(url[..<end])/\(name)"
    }
}
