// An nginx of a test's own, which it may reload and kill: plain text, HTTP/2 by prior knowledge, one worker.

import Foundation
import MartletTesting

@testable import Martlet

/// A process of nginx in a folder that goes with it.
final class OwnNginx {
    let port: Int
    private let folder: URL
    private var process = Process()

    var baseURL: String { "http://127.0.0.1:\(port)" }

    /// Starts it on a free port. It serves `small`, a hundred bytes, and `open`, 256 KiB that take half a second.
    init() async throws {
        folder = FileManager.default.temporaryDirectory.appending(path: "martlet-nginx-\(UUID().uuidString)")
        let files = folder.appending(path: "www")
        try FileManager.default.createDirectory(at: files, withIntermediateDirectories: true)
        try Data(repeating: 0x73, count: 100).write(to: files.appending(path: "small"))
        try Self.openBody.write(to: files.appending(path: "open"))
        // A port that was free a moment ago.
        let probe = try await TestServer.serve { _ in .ok }
        port = probe.port
        await probe.stop()
        try configuration.write(to: folder.appending(path: "nginx.conf"), atomically: false, encoding: .utf8)
        try await start()
    }

    static let openBody = Data((0..<262_144).map { UInt8(truncatingIfNeeded: $0 &* 31 >> 4) })

    private var configuration: String {
        """
        \(getuid() == 0 ? "user root;" : "")
        daemon off;
        worker_processes 1;
        pid \(folder.path)/nginx.pid;
        error_log \(folder.path)/error.log;
        events { worker_connections 1024; }
        http {
            access_log off;
            default_type text/plain;
            keepalive_requests 1000000;
            client_body_temp_path \(folder.path)/body;
            proxy_temp_path \(folder.path)/proxy;
            fastcgi_temp_path \(folder.path)/fastcgi;
            uwsgi_temp_path \(folder.path)/uwsgi;
            scgi_temp_path \(folder.path)/scgi;
            server {
                listen 127.0.0.1:\(port) http2 backlog=4096;
                root \(folder.path)/www;
                location /open { limit_rate 512k; }
            }
        }
        """
    }

    /// Starts it again, and returns when it answers.
    func start() async throws {
        let path = ["/usr/sbin/nginx", "/usr/local/sbin/nginx", "/usr/bin/nginx"].first(where: isExecutable)
        process = Process()
        process.executableURL = URL(filePath: path ?? "/usr/sbin/nginx")
        process.arguments = ["-c", folder.appending(path: "nginx.conf").path, "-p", folder.path]
        process.standardError = FileHandle.nullDevice
        try process.run()
        let end = ContinuousClock.now + .seconds(60)
        while !answers {
            guard process.isRunning, ContinuousClock.now < end else { throw TestServerError.timedOut("nginx to start") }
            try await Task.sleep(for: .milliseconds(2))
        }
    }

    private func isExecutable(_ path: String) -> Bool { FileManager.default.isExecutableFile(atPath: path) }

    private var answers: Bool {
        guard let socket = try? Socket(family: .ipv4) else { return false }
        defer { socket.close() }
        return socket.connect(to: SocketAddress(ipv4: SocketAddress.loopback4, port: port)) == 0 || socket.isConnected
    }

    /// The processes that serve at the moment.
    var workers: Set<Int32> {
        let path = "/proc/\(process.processIdentifier)/task/\(process.processIdentifier)/children"
        let text = (try? String(contentsOfFile: path, encoding: .utf8)) ?? ""
        return Set(text.split(separator: " ").compactMap { Int32($0) })
    }

    /// Reads its configuration anew: another worker takes over, and those that were there finish what they have. Returns when
    /// there is another worker.
    func reload() async throws {
        let before = workers
        kill(process.processIdentifier, SIGHUP)
        let end = ContinuousClock.now + .seconds(60)
        while workers.subtracting(before).isEmpty {
            guard ContinuousClock.now < end else { throw TestServerError.timedOut("nginx to reload") }
            try await Task.sleep(for: .milliseconds(2))
        }
    }

    /// Ends master and workers as a crash does.
    func crash() {
        let all = [process.processIdentifier] + workers
        for id in all { kill(id, SIGKILL) }
        process.waitUntilExit()
    }

    func stop() {
        crash()
        try? FileManager.default.removeItem(at: folder)
    }
}
