// Programs that the benchmarks measure against or need as servers. None is installed: what is missing is named, with the way
// to get it.

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

    /// How to get a program that is missing.
    static func advice(_ program: String) -> String {
        "\(program) is missing; get it with: apt-get install \(packages[program] ?? program)"
    }
}
