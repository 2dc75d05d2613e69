// From the arguments to the SDK: the client's configuration and the call.

import Martlet

extension RequestPlan {
    /// The configuration of the client that sends this.
    func configuration(_ diagnostics: Diagnostics) throws(ToolFailure) -> ClientConfiguration {
        var configuration = ClientConfiguration()
        configuration.defaults.userAgent = "\(Tool.name)/\(MartletClient.version)"
        if let rootsFile {
            do {
                configuration.tls = try .adding(rootsFile: rootsFile)
            } catch {
                // Unreadable, and not unusable: that is found when a connection is made.
                throw ToolFailure(.file, error.message)
            }
        }
        if isInsecure {
            configuration.tls = .insecure
            diagnostics.note("Warning: --insecure accepts any certificate; whoever answers may be an impostor.")
        }
        try authenticate(&configuration.defaults, diagnostics)
        configuration.defaults.redirects = followed.map { .follow(max: $0) } ?? .never
        if let retries {
            configuration.defaults.retry = .idempotent.attempts(retries + 1)
            configuration.defaults.retry.budget = nil
        }
        let concurrency = concurrency ?? 1
        configuration.pool.connectionsPerHost = max(configuration.pool.connectionsPerHost, concurrency)
        configuration.pool.connections = max(configuration.pool.connections, concurrency)
        return configuration
    }

    private func authenticate(_ defaults: inout CallDefaults, _ diagnostics: Diagnostics) throws(ToolFailure) {
        // Who writes http:// has been asked: without a scheme it is https.
        switch (user, token) {
        case (let user?, _) where provesPassword:
            defaults.authenticate(by: .digest(user: user.name, password: user.password), at: url)
            return
        case (let user?, _):
            let login = BasicAuthenticator(user: user.name, password: user.password)
            defaults.authenticate(by: login, at: url, allowingPlainHTTP: true)
        case (nil, let token?): defaults.authenticate(by: .bearer(token), at: url, allowingPlainHTTP: true)
        case (nil, nil):
            guard readsNetrc else { return }
            do {
                defaults.authenticate(by: .netrc(try Netrc()), allowingPlainHTTP: true)
            } catch {
                throw ToolFailure(.file, error.message)
            }
        }
        if !Address.isProtected(url) {
            diagnostics.note("Warning: over plain http everybody on the way can read the password or token.")
        }
    }

    /// The call.
    func call(_ client: MartletClient, _ upload: Upload) -> Call {
        var call = client.request(method, url).headers(headers).body(upload.body).allowingBodyWithGet()
        for pair in query { call = call.query(pair.name, pair.text) }
        if upload.contentType == "application/json", !headers.contains("Accept") {
            // Many frameworks answer in HTML where nothing is preferred.
            call = call.header("Accept", "application/json, */*;q=0.5")
        }
        if isRaw { call = call.undecoded() }
        // An endless body may be silent for as long as it likes, unless a limit was asked for.
        let idle = idleTimeout ?? (streams ? .seconds(1_000_000_000) : nil)
        return call.timeout(connect: connectTimeout, idle: idle, total: timeout)
    }
}
