// What `print`, `dump` and a debugger see of the types that may hold secrets: what `Redaction.standard` lets through. Reflection would
// otherwise show every stored property, and with them tokens that somebody printed a call to look for something else.

import Foundation

extension Request: CustomReflectable {
    /// The parts, without their secrets.
    public var customMirror: Mirror {
        Mirror(
            self,
            children: [
                "method": method.rawValue, "url": url.redactedDescription, "headers": headers, "body": body.description,
            ], displayStyle: .struct)
    }
}

extension RequestBody: CustomStringConvertible, CustomReflectable {
    /// What kind of body it is and how long, without its bytes.
    public var description: String {
        switch kind {
        case .empty: "no body"
        case .data(let data): "\(data.count) bytes"
        case .file: "a file"
        case .stream(let length, _, _), .composed(let length, _, _):
            length.map { "a stream of \($0) bytes" } ?? "a stream"
        }
    }

    /// The description alone.
    public var customMirror: Mirror { Mirror(self, unlabeledChildren: CollectionOfOne(description)) }
}

extension RequestURL: CustomDebugStringConvertible, CustomReflectable {
    /// The URL without its query values and its fragment: what `dump` and the descriptions of values that hold it show.
    public var debugDescription: String { redactedDescription }

    /// The URL without its query values and its fragment.
    public var customMirror: Mirror { Mirror(self, unlabeledChildren: CollectionOfOne(redactedDescription)) }
}

extension Call: CustomStringConvertible, CustomReflectable {
    /// The method and the URL, without query values; a URL that cannot be read is not shown.
    public var description: String { "\(summary)" }

    /// The parts, without their secrets.
    public var customMirror: Mirror {
        let body: Any = (try? body.get()) ?? "a body that could not be made"
        return Mirror(
            self, children: ["method": method.rawValue, "url": summary.url, "headers": headers, "body": body],
            displayStyle: .struct)
    }

    private var summary: MartletError.RequestSummary {
        MartletError.RequestSummary(
            method: method, url: (try? makeRequest())?.url.redactedDescription ?? "<a URL that cannot be read>")
    }
}

extension Response: CustomStringConvertible, CustomReflectable {
    /// The status and the URL that answered, without query values.
    public var description: String { "\(head.status) from \(url.redactedDescription)" }

    /// The parts, the URL and the header fields without their secrets. A decoded body is shown as its type shows itself.
    public var customMirror: Mirror {
        Mirror(
            self,
            children: [
                "status": head.status, "headers": head.headers,
                "body": (body as? Data).map { "\($0.count) bytes" } ?? body,
                "url": url.redactedDescription, "attempts": attempts, "redirects": redirects, "metrics": metrics,
            ], displayStyle: .struct)
    }
}

extension ResponseHead: CustomReflectable {
    /// The status and the header fields without their secrets.
    public var customMirror: Mirror {
        Mirror(
            self, children: ["status": status, "reason": reason, "version": version, "headers": headers],
            displayStyle: .struct)
    }
}

extension ResponseBody: CustomStringConvertible, CustomReflectable {
    /// That it is a stream.
    public var description: String { "a response body" }

    /// Nothing: the bytes are on their way.
    public var customMirror: Mirror { Mirror(self, children: [:]) }
}

extension MartletClient: CustomStringConvertible, CustomReflectable {
    /// The base URL, without its secrets.
    public var description: String { "MartletClient(\(defaults.shownBase))" }

    /// The defaults, without their secrets.
    public var customMirror: Mirror { Mirror(self, children: ["defaults": defaults], displayStyle: .struct) }
}

extension CallDefaults: CustomReflectable {
    /// What is told of the base URL.
    var shownBase: String {
        switch base {
        case nil: "no base URL"
        case .success(let url)?: url.redactedDescription
        case .failure?: "<a base URL that cannot be read>"
        }
    }

    /// The base URL, the header fields and the timeouts, without their secrets.
    public var customMirror: Mirror {
        Mirror(
            self, children: ["baseURL": shownBase, "headers": headers, "timeouts": options.timeouts],
            displayStyle: .struct)
    }
}

extension ClientConfiguration: CustomReflectable {
    /// The defaults without their secrets, and how connections are made.
    public var customMirror: Mirror {
        Mirror(
            self, children: ["defaults": defaults, "pool": pool, "httpVersion": httpVersion, "eventLoops": eventLoops],
            displayStyle: .struct)
    }
}
