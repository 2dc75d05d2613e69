// Programs that the benchmarks measure against or need as servers. None is installed: what is missing is named, with the way
// to get it.

import BenchRuns
import Glibc

/// Finds programs.
enum Tools {
    /// Debian's package for a program.
    private static let packages = [
        "nginx": "nginx", "wrk": "wrk", "curl": "curl", "openssl": "openssl", "h2load": "nghttp2-client", "cc": "gcc",
    ]

    /// The file of a program in PATH; of a path, the path itself when it can be run.
    static func path(of program: String) -> String? {
        if program.contains("/") { return access(program, X_OK) == 0 ? program : nil }
        // Servers are often where only the administrator's PATH leads.
        let folders = (getenv("PATH").map { String(cString: $0) } ?? "/usr/bin:/bin").split(separator: ":")
        for folder in folders.map(String.init) + ["/usr/sbin", "/usr/local/sbin", "/sbin"]
        where access("\(folder)/\(program)", X_OK) == 0 {
            return "\(folder)/\(program)"
        }
        return nil
    }

    /// The path of a program that is built beside this one.
    static func beside(_ program: String) throws -> String {
        var path = [CChar](repeating: 0, count: Int(PATH_MAX))
        let count = readlink("/proc/self/exe", &path, path.count)
        guard count > 0 else { throw Failure.system("readlink") }
        let own = String(decoding: path.prefix(count).map { UInt8(bitPattern: $0) }, as: UTF8.self)
        return own.prefix(through: own.lastIndex(of: "/") ?? own.startIndex) + program
    }

    /// How to get a program that is missing.
    static func advice(_ program: String) -> String {
        "\(program) is missing; get it with: apt-get install \(packages[program] ?? program)"
    }
}
