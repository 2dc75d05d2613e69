// What wrk, h2load and curl print, read for the figures that the results need.

/// Reads the output of load generators.
package enum ToolOutput {
    /// The rate and the number of requests that wrk reports; nil when there is none.
    package static func wrk(_ text: String) -> (perSecond: Double, requests: Int)? {
        var rate: Double?
        var requests: Int?
        for line in text.split(separator: "\n") {
            let words = line.split(whereSeparator: \.isWhitespace)
            if words.first == "Requests/sec:", words.count > 1 { rate = Double(words[1]) }
            if words.count > 2, words[1] == "requests", words[2] == "in" { requests = Int(words[0]) }
        }
        guard let rate, let requests, rate > 0, requests > 0 else { return nil }
        return (rate, requests)
    }

    /// What of wrk's requests failed: a line of its output; nil when none did.
    package static func wrkFailures(_ text: String) -> String? {
        text.split(separator: "\n").first { $0.contains("Socket errors") || $0.contains("Non-2xx") }
            .map { String($0.drop(while: \.isWhitespace)) }
    }

    /// The rate and the number of requests that h2load reports; nil when there is none.
    package static func h2load(_ text: String) -> (perSecond: Double, requests: Int)? {
        var rate: Double?
        var requests: Int?
        for line in text.split(separator: "\n") {
            let words = line.split { $0.isWhitespace || $0 == "," }
            if words.first == "finished", let place = words.firstIndex(of: "req/s"), place > 0 {
                rate = Double(words[place - 1])
            }
            if words.first == "requests:", let place = words.firstIndex(of: "succeeded"), place > 0 {
                requests = Int(words[place - 1])
            }
        }
        guard let rate, let requests, rate > 0, requests > 0 else { return nil }
        return (rate, requests)
    }

    /// What of h2load's requests failed: a line of its output; nil when none did.
    package static func h2loadFailures(_ text: String) -> String? {
        text.split(separator: "\n").first {
            $0.hasPrefix("requests:") && !$0.contains(" 0 failed, 0 errored, 0 timeout")
        }
        .map(String.init)
    }

    /// The numbers on the last line: what curl was asked to write with `-w`. Nil when one of the words is no number.
    package static func lastNumbers(_ text: String) -> [Double]? {
        let words = text.split(separator: "\n").last?.split(separator: " ") ?? []
        let numbers = words.compactMap { Double($0) }
        return numbers.isEmpty || numbers.count != words.count ? nil : numbers
    }
}
