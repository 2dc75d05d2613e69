// nginx, one worker: the server at the other end of nearly every work. The big file is sparse and goes out by sendfile, so
// that the server costs as little as it can; over TLS nginx has to read and encrypt it.

import BenchRuns
import Foundation

/// An nginx of our own.
struct Nginx {
    let plainPort: Int
    let securePort: Int
    /// Speaks HTTP/2 over TLS.
    let http2Port: Int
    private let process: ChildProcess

    /// Starts it on free ports, with its files in `folder`; nil when it is not installed.
    init?(in folder: URL, hasCertificate: Bool) throws {
        guard Tools.path(of: "nginx") != nil else { return nil }
        let ports = try Loopback.freePorts(3)
        (plainPort, securePort, http2Port) = (ports[0], ports[1], ports[2])
        let configuration = folder.appending(path: "nginx.conf")
        try Self.configuration(folder.path, ports[0], hasCertificate ? (ports[1], ports[2]) : nil)
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

    private static func configuration(_ folder: String, _ plain: Int, _ secure: (http1: Int, http2: Int)?) -> String {
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
            http2_max_concurrent_streams 256;
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
                location /text.gz { add_header Content-Encoding gzip; }
                location /post { return 200 "taken\\n"; }
                # The head and some of the body at once, then a byte a second: a response that stays open.
                location /trickle {
                    alias \(folder)/www/big;
                    limit_rate_after 1k;
                    limit_rate 1;
                    # Else the system holds that part back for 200 ms, for more to join it.
                    tcp_nopush off;
                }
            }
        }
        """
    }

    private static func secureLines(_ folder: String, _ ports: (http1: Int, http2: Int)) -> String {
        """
        listen 127.0.0.1:\(ports.http1) ssl backlog=8192;
        listen 127.0.0.1:\(ports.http2) ssl http2 backlog=8192;
        ssl_certificate \(folder)/server.pem;
        ssl_certificate_key \(folder)/server.key;
        ssl_protocols TLSv1.2 TLSv1.3;
        ssl_session_cache shared:bench:10m;
        """
    }
}
