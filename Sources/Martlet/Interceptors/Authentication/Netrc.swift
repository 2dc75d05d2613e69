// Passwords from a `.netrc` file, as ftp and curl read it: `machine`, `login`, `password`, in whatever lines. Hosts match exactly, a
// `default` entry is passed over (it would give a password to every host), and a file that others can read is refused.

import Foundation

#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#elseif canImport(Darwin)
import Darwin
#endif

/// The passwords of a `.netrc` file.
public struct Netrc: Sendable {
    /// A user and a password.
    struct Entry: Sendable, Equatable {
        var user: String
        var password: Secret
    }

    private var entries: [String: Entry] = [:]

    /// Reads a file; by default the one that the environment variable `NETRC` names, or `.netrc` in the home folder.
    ///
    /// - Throws: `fileUnreadable` when it cannot be read, when others than its owner can read it, or when it is no such
    ///   file.
    public init(file path: String? = nil) throws(MartletError) {
        let path = path ?? Self.defaultPath
        // The file that is looked at is the one that is read.
        guard let handle = FileHandle(forReadingAtPath: path) else {
            throw Self.unreadable("The file \(path) cannot be opened: see whether it exists and may be read.")
        }
        defer { try? handle.close() }
        var status = stat()
        guard fstat(handle.fileDescriptor, &status) == 0, status.st_mode & S_IFMT == S_IFREG else {
            throw Self.unreadable("\(path) is no regular file.")
        }
        guard status.st_mode & 0o077 == 0 else {
            throw Self.unreadable("Others can read the passwords in \(path): say chmod 600 to it.")
        }
        guard status.st_size <= Self.maximumBytes,
            let data = status.st_size == 0 ? Data() : try? handle.read(upToCount: Self.maximumBytes),
            let text = String(validating: data, as: UTF8.self)
        else {
            throw Self.unreadable("\(path) is no text, or larger than \(Self.maximumBytes >> 20) MiB.")
        }
        try self.init(text)
    }

    /// Reads the text of such a file. Throws `fileUnreadable` when something in it has no meaning; never quotes it.
    public init(_ text: String) throws(MartletError) {
        var reader = NetrcReader(text)
        while let word = reader.next() {
            switch word {
            case "machine":
                guard let host = reader.next() else { throw Self.misplaced(reader.line) }
                let entry = try Self.entry(&reader)
                // The first counts, as for everybody who reads these files.
                let name = Self.normalised(host)
                if let entry, entries[name] == nil { entries[name] = entry }
            case "default": _ = try Self.entry(&reader)
            case "macdef": reader.skipMacro()
            default: throw Self.misplaced(reader.line)
            }
        }
    }

    /// The user and the password for a host, whose name must be the same but for its case.
    func entry(for host: Origin.Host) -> Entry? { entries[host.description] }

    private static let maximumBytes = 1 << 20

    private static var defaultPath: String {
        let environment = ProcessInfo.processInfo.environment
        if let path = environment["NETRC"], !path.isEmpty { return path }
        return (environment["HOME"] ?? NSHomeDirectory()) + "/.netrc"
    }

    private static func entry(_ reader: inout NetrcReader) throws(MartletError) -> Entry? {
        var entry = Entry(user: "", password: "")
        var hasPassword = false
        while let word = reader.peek(), word != "machine", word != "default" {
            _ = reader.next()
            if word == "macdef" {
                reader.skipMacro()
                continue
            }
            guard ["login", "password", "account"].contains(word), let value = reader.next() else {
                throw misplaced(reader.line)
            }
            switch word {
            case "login": entry.user = value
            case "password": (entry.password, hasPassword) = (Secret(value), true)
            default: break
            }
        }
        return hasPassword ? entry : nil
    }

    /// The host as URLs have it; one that is none is found by nobody.
    private static func normalised(_ host: String) -> String {
        (try? Origin.Host(host).description) ?? (try? Origin.Host("[\(host)]").description) ?? host
    }

    private static func misplaced(_ line: Int) -> MartletError {
        unreadable("Line \(line) of the netrc file holds something that has no meaning there.")
    }

    private static func unreadable(_ message: String) -> MartletError { MartletError(.fileUnreadable, message) }
}

extension Netrc: CustomStringConvertible, CustomReflectable {
    /// How many hosts it knows.
    public var description: String { "Netrc(\(entries.count) hosts)" }

    /// A mirror that shows nothing.
    public var customMirror: Mirror { Mirror(self, children: [:]) }
}

/// The words of a netrc file: divided by white space, in quotes where they hold any, up to a `#` that begins a word.
private struct NetrcReader {
    private var rest: Substring.UTF8View
    private(set) var line = 1

    init(_ text: String) { rest = Substring(text).utf8 }

    /// The next word, which is not read.
    func peek() -> String? {
        var copy = self
        return copy.next()
    }

    /// The next word; nil at the end.
    mutating func next() -> String? {
        while let byte = rest.first {
            if byte == UInt8(ascii: "#") {
                skipLine()
            } else if Self.isSpace(byte) {
                advance()
            } else {
                return byte == UInt8(ascii: "\"") ? quoted() : word()
            }
        }
        return nil
    }

    /// Goes past a macro, which ends with an empty line.
    mutating func skipMacro() {
        skipLine()
        while let byte = rest.first, byte != UInt8(ascii: "\n"), byte != UInt8(ascii: "\r") { skipLine() }
    }

    private mutating func skipLine() {
        while let byte = rest.first {
            advance()
            if byte == UInt8(ascii: "\n") { return }
        }
    }

    private mutating func advance() {
        if rest.popFirst() == UInt8(ascii: "\n") { line += 1 }
    }

    private mutating func word() -> String {
        let start = rest
        while let byte = rest.first, !Self.isSpace(byte) { advance() }
        return String(decoding: start.prefix(start.count - rest.count), as: UTF8.self)
    }

    private mutating func quoted() -> String {
        advance()
        var content: [UInt8] = []
        while let byte = rest.first {
            advance()
            if byte == UInt8(ascii: "\"") { break }
            guard byte == UInt8(ascii: "\\"), let escaped = rest.first else {
                content.append(byte)
                continue
            }
            advance()
            switch escaped {
            case UInt8(ascii: "n"): content.append(0x0A)
            case UInt8(ascii: "r"): content.append(0x0D)
            case UInt8(ascii: "t"): content.append(0x09)
            default: content.append(escaped)
            }
        }
        return String(decoding: content, as: UTF8.self)
    }

    private static func isSpace(_ byte: UInt8) -> Bool { byte == 0x20 || (0x09...0x0D).contains(byte) }
}
