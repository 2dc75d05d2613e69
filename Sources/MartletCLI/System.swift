// The few system calls of the tool, in the form that all platforms have.

#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#elseif canImport(Darwin)
import Darwin
#endif

/// The value of an environment variable; nil when it is unset or empty.
func environment(_ name: String) -> String? {
    guard let value = getenv(name) else { return nil }
    let text = String(cString: value)
    return text.isEmpty ? nil : text
}

/// What a descriptor leads to; nil when it is closed.
func fileStatus(_ descriptor: Int32) -> stat? {
    var status = stat()
    return fstat(descriptor, &status) == 0 ? status : nil
}

/// What a path leads to, links followed; nil when that cannot be told.
func fileStatus(_ path: String) -> stat? {
    var status = stat()
    return stat(path, &status) == 0 ? status : nil
}

extension stat {
    /// Whether it is a regular file.
    var isRegularFile: Bool { st_mode & S_IFMT == S_IFREG }
    /// Whether it is a pipe or a socket.
    var isPipe: Bool { st_mode & S_IFMT == S_IFIFO || st_mode & S_IFMT == S_IFSOCK }
    /// Whether it is a directory.
    var isDirectory: Bool { st_mode & S_IFMT == S_IFDIR }
}

/// Opens `/dev/null` in place of a standard descriptor that is closed, so that no socket gets its number and with it what is
/// meant for the screen. For reading only: what is written there still fails.
func fillStandardDescriptors() {
    for descriptor: Int32 in 0...2 where fcntl(descriptor, F_GETFD) == -1 {
        // The lowest free number is the missing one, because those below it are open.
        _ = open("/dev/null", O_RDONLY)
    }
}
