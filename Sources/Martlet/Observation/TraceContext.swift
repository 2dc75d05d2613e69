// The place of a request in a trace (W3C Trace Context, level 1): read, made and continued. Default: none is sent; what is asked for by
// `.traceContext()` goes with each attempt.

/// The trace that work belongs to, and the span that it is.
///
/// ```swift
/// let incoming = TraceContext(traceparent: request.headers["traceparent"], state: request.headers["tracestate"])
/// try await TraceContext.$current.withValue(incoming) { try await handle(request) }
/// ```
public struct TraceContext: Sendable, Hashable {
    /// The context of the current task; requests continue it.
    @TaskLocal public static var current: TraceContext?

    private let high: UInt64
    private let low: UInt64
    private let span: UInt64

    /// Whether the caller may have recorded the trace.
    public var isSampled: Bool

    /// The list of vendors' own data, passed on as it came; nil when there is none.
    public var state: String?

    private init(high: UInt64, low: UInt64, span: UInt64, isSampled: Bool, state: String?) {
        self.high = high
        self.low = low
        self.span = span
        self.isSampled = isSampled
        self.state = state
    }

    /// Reads a `traceparent` and a `tracestate` field; nil when the first is missing or invalid, and then the second counts for nothing.
    ///
    /// A version that is not known is read as far as it is like version 00 (section 4.3).
    public init?(traceparent: String?, state: String? = nil) {
        guard let bytes = traceparent.map({ Array($0.utf8) }), bytes.count >= 55 else { return nil }
        let dash = UInt8(ascii: "-")
        guard bytes[2] == dash, bytes[35] == dash, bytes[52] == dash, let version = Self.number(bytes[0..<2]),
            version != 0xFF, let high = Self.number(bytes[3..<19]), let low = Self.number(bytes[19..<35]),
            let span = Self.number(bytes[36..<52]), let flags = Self.number(bytes[53..<55])
        else { return nil }
        guard bytes.count == 55 || (version > 0 && bytes[55] == dash) else { return nil }
        guard high | low != 0, span != 0 else { return nil }
        let state = state.flatMap { Self.isPrintable($0) ? $0 : nil }
        self.init(high: high, low: low, span: span, isSampled: flags & 1 == 1, state: state)
    }

    /// Begins a trace of its own, with random numbers.
    public static func root(
        isSampled: Bool = true, using generator: inout some RandomNumberGenerator
    ) -> TraceContext {
        var low: UInt64 = 0
        while low == 0 { low = generator.next() }
        return TraceContext(
            high: generator.next(), low: low, span: number(&generator), isSampled: isSampled, state: nil)
    }

    /// Begins a trace of its own, with the system's random numbers.
    public static func root(isSampled: Bool = true) -> TraceContext {
        var generator = SystemRandomNumberGenerator()
        return root(isSampled: isSampled, using: &generator)
    }

    /// A new span of the same trace.
    public func child(using generator: inout some RandomNumberGenerator) -> TraceContext {
        TraceContext(high: high, low: low, span: Self.number(&generator), isSampled: isSampled, state: state)
    }

    /// A new span of the same trace, with the system's random numbers.
    public func child() -> TraceContext {
        var generator = SystemRandomNumberGenerator()
        return child(using: &generator)
    }

    /// The identifier of the trace: 32 hexadecimal digits.
    public var traceID: String { Self.digits(high) + Self.digits(low) }

    /// The identifier of the span: 16 hexadecimal digits.
    public var spanID: String { Self.digits(span) }

    /// The value of a `traceparent` field, in version 00.
    public var traceparent: String { "00-\(traceID)-\(spanID)-\(isSampled ? "01" : "00")" }

    private static func digits(_ number: UInt64) -> String {
        let digits = String(number, radix: 16)
        return String(repeating: "0", count: 16 - digits.count) + digits
    }

    /// An identifier of zeros is none.
    private static func number(_ generator: inout some RandomNumberGenerator) -> UInt64 {
        while true {
            let number = generator.next()
            if number != 0 { return number }
        }
    }

    /// Small hexadecimal digits alone; capitals are invalid (section 3.2.2).
    private static func number(_ digits: ArraySlice<UInt8>) -> UInt64? {
        var number: UInt64 = 0
        for digit in digits {
            guard ASCII.isDigit(digit) || (UInt8(ascii: "a")...UInt8(ascii: "f")).contains(digit),
                let value = ASCII.hexValue(digit)
            else { return nil }
            number = number << 4 | UInt64(value)
        }
        return number
    }

    private static func isPrintable(_ state: String) -> Bool {
        !state.isEmpty && state.utf8.allSatisfy { (0x20...0x7E).contains($0) || $0 == 0x09 }
    }
}

extension TraceContext: CustomStringConvertible {
    /// The value of a `traceparent` field.
    public var description: String { traceparent }
}
