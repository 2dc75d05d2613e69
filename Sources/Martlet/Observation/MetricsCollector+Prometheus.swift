// The figures in Prometheus' text format, version 0.0.4: families with their help and type, label values escaped, a line end at the end.

extension MetricsCollector {
    /// The media type of ``prometheusText(prefix:)``.
    public static let prometheusContentType = "text/plain; version=0.0.4; charset=utf-8"

    /// The figures in the text format of Prometheus, version 0.0.4.
    ///
    /// - Parameter prefix: what the names begin with; `martlet` by default.
    public func prometheusText(prefix: String = "martlet") -> String {
        let figures = snapshot().origins
        var text = PrometheusText(prefix)
        text.family("call_duration_seconds", "histogram", "How long calls took, from their start to the last byte.")
        for origin in figures {
            for outcome in ClientMetrics.Outcome.allCases where origin.latency(outcome).count > 0 {
                text.histogram(
                    "call_duration_seconds", [("origin", origin.label), ("outcome", outcome.rawValue)],
                    origin.latency(outcome))
            }
        }
        text.family("calls_in_flight", "gauge", "Calls under way.")
        for origin in figures { text.sample("calls_in_flight", [("origin", origin.label)], origin.inFlight) }
        text.family("retries_total", "counter", "Requests that a retry policy sent again.")
        for origin in figures { text.sample("retries_total", [("origin", origin.label)], origin.retries) }
        text.family("call_failures_total", "counter", "Calls without a complete response, by the code of the error.")
        for origin in figures {
            for (code, count) in origin.failures.sorted(by: { $0.key < $1.key }) {
                text.sample("call_failures_total", [("origin", origin.label), ("code", code)], count)
            }
        }
        text.family("response_body_bytes_total", "counter", "Bytes of response bodies as they came on the wire.")
        for origin in figures {
            text.sample("response_body_bytes_total", [("origin", origin.label)], origin.receivedBytes)
        }
        return text.text
    }
}

extension ClientMetrics.OriginFigures {
    fileprivate var label: String { origin?.description ?? "other" }
}

/// Writes the format.
struct PrometheusText {
    typealias Labels = [(name: String, value: String)]

    private(set) var text = ""
    private let prefix: String

    init(_ prefix: String) {
        let letters = prefix.unicodeScalars.map { scalar -> Character in
            let isAllowed = scalar.isASCII && (scalar.properties.isAlphabetic || scalar.properties.numericType != nil)
            return isAllowed || scalar == "_" || scalar == ":" ? Character(scalar) : "_"
        }
        let name = String(letters)
        self.prefix = name.isEmpty ? "" : (name.first?.isNumber == true ? "_" + name : name) + "_"
    }

    mutating func family(_ name: String, _ type: String, _ help: String) {
        text += "# HELP \(prefix)\(name) \(help.replacing("\\", with: "\\\\").replacing("\n", with: "\\n"))\n"
        text += "# TYPE \(prefix)\(name) \(type)\n"
    }

    mutating func sample(_ name: String, _ labels: Labels, _ value: some CustomStringConvertible) {
        let list = labels.map { "\($0.name)=\"\(Self.escaped($0.value))\"" }.joined(separator: ",")
        text += labels.isEmpty ? "\(prefix)\(name) \(value)\n" : "\(prefix)\(name){\(list)} \(value)\n"
    }

    mutating func histogram(_ name: String, _ labels: Labels, _ latency: LatencyHistogram) {
        for (index, count) in latency.cumulative.enumerated() {
            let bound = index < LatencyHistogram.bounds.count ? "\(LatencyHistogram.bounds[index])" : "+Inf"
            sample(name + "_bucket", labels + [("le", bound)], count)
        }
        sample(name + "_sum", labels, Double(latency.sum.wholeNanoseconds) / 1e9)
        sample(name + "_count", labels, latency.count)
    }

    static func escaped(_ value: String) -> String {
        value.replacing("\\", with: "\\\\").replacing("\"", with: "\\\"").replacing("\n", with: "\\n")
    }
}
