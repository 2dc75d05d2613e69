// nginx, one worker: the server at the other end of nearly every work. The big file is sparse and goes out by sendfile, so
// that the server costs as little as it can; over TLS nginx has to read and encrypt it.

import Foundation

/// An nginx of our own.
struct Nginx {
    let plainPort: Int
    let securePort: Int
    private let process: ChildProcess

    /// Starts it on free ports, with its files in `folder`; nil when it is not installed.
    init?(in folder: URL, quick: Bool, hasCertificate: Bool) throws {
        guard Tools.path(of: "nginx") != nil else { return nil }
        let ports = try Loopback.freePorts(2)
        (plainPort, securePort) = (ports[0], ports[1])
        try Self.writeFiles(in: folder, quick: quick)
        let configuration = folder.appending(path: "nginx.conf")
        try Self.configuration(folder.path, ports[0], hasCertificate ? ports[1] : nil)
            .write(to: configuration, atomically: false, encoding: .utf8)
        process = try ChildProcess("nginx", ["-c", configuration.path, "-p", folder.path])
        let end = Clock.seconds() + 10
        while !Loopback.answers(port: plainPort) {
            guard !process.hasEnded, Clock.seconds() < end else {
                throw Failure("nginx does not start: \(process.errors)")
            }
            usleep(20_000)
        }
    }

    func stop() { process.stop() }

    static func file(_ name: String, in folder: URL) -> String { folder.appending(path: "www/\(name)").path }

    private static func writeFiles(in folder: URL, quick: Bool) throws {
        try FileManager.default.createDirectory(
            at: folder.appending(path: "www"), withIntermediateDirectories: true)
        let small = "A hundred bytes of text, such as a small answer has: some words, a number or two, 12345, the end.."
        try Data((small + "\n").utf8).write(to: folder.appending(path: "www/small"))
        try sparse(file("big", in: folder), bytes: quick ? 128 << 20 : 1 << 30)
    }

    private static func sparse(_ path: String, bytes: UInt64) throws {
        try Data().write(to: URL(filePath: path))
        let file = try FileHandle(forWritingTo: URL(filePath: path))
        try file.truncate(atOffset: bytes)
        try file.close()
    }

    private static func configuration(_ folder: String, _ plain: Int, _ secure: Int?) -> String {
        """
        \(getuid() == 0 ? "user root;" : "")
        daemon off;
        worker_processes 1;
        worker_rlimit_nofile \(min(ProcessFigures.raiseDescriptorLimit(), 65_536));
        pid \(folder)/nginx.pid;
        error_log stderr;
        events { worker_connections 16384; }
        http {
            access_log off;
            gzip off;
            sendfile on;
            tcp_nopush on;
            default_type text/plain;
            open_file_cache max=100;
            keepalive_timeout 300s;
            keepalive_requests 1000000000;
            client_max_body_size 0;
            client_body_temp_path \(folder)/body;
            proxy_temp_path \(folder)/proxy;
            fastcgi_temp_path \(folder)/fastcgi;
            uwsgi_temp_path \(folder)/uwsgi;
            scgi_temp_path \(folder)/scgi;
            server {
                listen 127.0.0.1:\(plain) backlog=8192;
                \(secure.map { secureLines(folder, $0) } ?? "")
                root \(folder)/www;
                location /post { return 200 "taken\\n"; }
                # The head and some of the body at once, then a byte a second: a response that stays open.
                location /trickle { alias \(folder)/www/big; limit_rate_after 1k; limit_rate 1; }
            }
        }
        """
    }

    private static func secureLines(_ folder: String, _ port: Int) -> String {
        """
        listen 127.0.0.1:\(port) ssl backlog=8192;
        ssl_certificate \(folder)/server.pem;
        ssl_certificate_key \(folder)/server.key;
        ssl_protocols TLSv1.2 TLSv1.3;
        ssl_session_cache shared:bench:10m;
        """
    }
}
