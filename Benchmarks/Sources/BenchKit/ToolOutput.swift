// What wrk and curl print, read for the figures that the results need.

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

    /// The numbers on the last line: what curl was asked to write with `-w`. Nil when one of the words is no number.
    package static func lastNumbers(_ text: String) -> [Double]? {
        let words = text.split(separator: "\n").last?.split(separator: " ") ?? []
        let numbers = words.compactMap { Double($0) }
        return numbers.isEmpty || numbers.count != words.count ? nil : numbers
    }
}
