// When a server wants to be asked again (RFC 9110, section 10.2.3): after so many seconds, or at a moment. What is neither counts as
// not said: a negative number, a fraction, words.

public import Foundation

/// The value of a `Retry-After` field.
public enum RetryAfter: Hashable, Sendable {
    /// After so many seconds, of which 2^31 are the most.
    case seconds(Int)
    /// At a moment.
    case date(HTTPDate)

    /// Reads the value of a field; nil when it is neither a whole number of seconds nor a date.
    ///
    /// `now` tells the century of a date whose year has two digits.
    public init?(_ text: String, now: Date = Date()) {
        let text = HeaderParameters.trimmed(text)
        if let seconds = FieldReader.deltaSeconds(text) {
            self = .seconds(seconds)
        } else if let date = HTTPDate(text, now: now) {
            self = .date(date)
        } else {
            return nil
        }
    }

    /// The time to wait from a moment on: none when it has passed.
    public func delay(from now: HTTPDate) -> Duration {
        switch self {
        case .seconds(let seconds): .seconds(max(0, seconds))
        case .date(let date): max(.zero, now.duration(to: date))
        }
    }
}

extension RetryAfter: CustomStringConvertible {
    /// The value as it stands in the field.
    public var description: String {
        switch self {
        case .seconds(let seconds): String(seconds)
        case .date(let date): date.description
        }
    }
}

extension HTTPHeaders {
    /// `Retry-After`, or nil when there is none that can be read.
    public var retryAfter: RetryAfter? { self["Retry-After"].flatMap { RetryAfter($0) } }

    /// The date in a field, such as `Last-Modified`; nil when there is none that can be read.
    public func date(for name: String) -> HTTPDate? { self[name].flatMap { HTTPDate($0) } }

    /// How long the server asks to wait by its `Retry-After`; nil when it does not say.
    ///
    /// A moment is compared with the server's own `Date` where there is one, so that a clock that is wrong on either side does no harm,
    /// else with `now`.
    public func retryDelay(now: Date = Date()) -> Duration? {
        guard let value = self["Retry-After"], let retryAfter = RetryAfter(value, now: now) else { return nil }
        let sent = self["Date"].flatMap { HTTPDate($0, now: now) }
        return retryAfter.delay(from: sent ?? HTTPDate(now))
    }
}
