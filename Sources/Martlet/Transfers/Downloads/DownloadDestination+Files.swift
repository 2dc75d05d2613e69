// What a destination asks of the file system. Blocking calls, on the threads of `FileIO`.

import Foundation

extension DownloadDestination {
    /// Where the unfinished file is.
    func partialPath(for url: RequestURL) -> String {
        let path = partialBase(from: url)
        let name = path.split(separator: "/").last ?? ""
        // Room for what comes behind it, in names of 255 bytes.
        var cut = name
        while cut.utf8.count > 230 { cut.removeLast() }
        return path.dropLast(name.count) + cut + ".partial"
    }

    /// Throws `fileExists` when there is a file of that name that is not to be replaced.
    nonisolated(nonsending) func check(_ path: String) async throws {
        let replaces = replacesExisting
        try await FileIO.run {
            var isDirectory = false
            guard PartialFile.exists(path, &isDirectory) else { return }
            if isDirectory { throw FileFailure.named("it is a directory", path) }
            if !replaces { throw FileFailure.existing(path) }
        }
    }

    /// Makes the folders that are missing, if that is wanted. Blocks.
    func makeDirectories() throws(MartletError) {
        guard createsDirectories else { return }
        do {
            try FileManager.default.createDirectory(atPath: directory, withIntermediateDirectories: true)
        } catch {
            throw MartletError(.fileUnwritable, "The folder \(directory) cannot be made.", underlying: error)
        }
    }
}
