// A moment as header fields write it: three forms are read, one is written (RFC 9110, section 5.6.7). Reading knows names in any
// case and a day of one digit, and does not hold the weekday against the date; anything else that is not of a form is no date.

public import Foundation

/// A moment to the second, as `Date`, `Expires`, `Last-Modified` and `Retry-After` have it.
public struct HTTPDate: Hashable, Sendable, Comparable {
    /// Seconds since the start of 1970 in UTC, leap seconds not counted. Between the years 0 and 9999.
    public let secondsSince1970: Int

    private static let earliest = Calendar.seconds(year: 0, month: 1, day: 1)
    private static let latest = Calendar.seconds(year: 9_999, month: 12, day: 31) + 86_399

    /// Makes a date; one beyond the years 0 to 9999 becomes the nearest that can be written.
    public init(secondsSince1970: Int) {
        self.secondsSince1970 = min(max(secondsSince1970, Self.earliest), Self.latest)
    }

    /// Makes a date, its fraction of a second dropped.
    public init(_ date: Date) {
        let seconds = date.timeIntervalSince1970.rounded(.down)
        self.init(secondsSince1970: Int(exactly: seconds) ?? (seconds < 0 ? Self.earliest : Self.latest))
    }

    /// Reads a date in any of the three forms; nil when it has none of them, or names a day that there is not.
    ///
    /// A year of two digits that seems more than 50 years ahead of `now` is one of the past.
    public init?(_ text: String, now: Date = Date()) {
        var reader = FieldReader(text)
        reader.skipSpace()
        guard let seconds = Self.seconds(&reader, now: now) else { return nil }
        reader.skipSpace()
        guard reader.isAtEnd else { return nil }
        self.init(secondsSince1970: seconds)
    }

    /// The date as Foundation has it.
    public var date: Date { Date(timeIntervalSince1970: Double(secondsSince1970)) }

    /// By time.
    public static func < (left: HTTPDate, right: HTTPDate) -> Bool { left.secondsSince1970 < right.secondsSince1970 }

    /// The time from this date to a later one; negative when it is earlier.
    public func duration(to later: HTTPDate) -> Duration {
        .seconds(later.secondsSince1970 - secondsSince1970)
    }
}

extension HTTPDate: CustomStringConvertible {
    /// The date as it is written: `Sun, 06 Nov 1994 08:49:37 GMT`.
    public var description: String {
        let days = Calendar.floorDivide(secondsSince1970, 86_400)
        let second = secondsSince1970 - days * 86_400
        let (year, month, day) = Calendar.date(days: days)
        let weekday = Calendar.weekdays[Calendar.weekday(days: days)].prefix(3)
        func digits(_ value: Int, _ count: Int = 2) -> String {
            let text = String(value)
            return String(repeating: "0", count: max(0, count - text.count)) + text
        }
        return "\(weekday), \(digits(day)) \(Calendar.months[month - 1]) \(digits(year, 4)) "
            + "\(digits(second / 3_600)):\(digits(second / 60 % 60)):\(digits(second % 60)) GMT"
    }
}

extension HTTPDate {
    private static func seconds(_ reader: inout FieldReader, now: Date) -> Int? {
        guard let isShort = isShortWeekday(reader.word()) else { return nil }
        if reader.take(",") {
            guard reader.takeSpace(), let day = reader.number(digits: 1...2) else { return nil }
            return isShort ? fixed(&reader, day: day) : obsolete(&reader, day: day, now: now)
        }
        return isShort ? asctime(&reader) : nil
    }

    /// `Sun, 06 Nov 1994 08:49:37 GMT`
    private static func fixed(_ reader: inout FieldReader, day: Int) -> Int? {
        guard reader.takeSpace(), let month = month(reader.word()), reader.takeSpace(),
            let year = reader.number(digits: 4...4), reader.takeSpace(), let time = time(&reader), zone(&reader)
        else { return nil }
        return Calendar.checked(year: year, month: month, day: day, second: time)
    }

    /// `Sunday, 06-Nov-94 08:49:37 GMT`
    private static func obsolete(_ reader: inout FieldReader, day: Int, now: Date) -> Int? {
        guard reader.take("-"), let month = month(reader.word()), reader.take("-"),
            let short = reader.number(digits: 2...2), reader.takeSpace(), let time = time(&reader), zone(&reader)
        else { return nil }
        // The year that ends so and lies 50 ahead at most.
        let thisYear = Calendar.date(days: Calendar.floorDivide(HTTPDate(now).secondsSince1970, 86_400)).year
        let latest = thisYear + 50
        let year = latest - (latest - short) % 100
        return Calendar.checked(year: year, month: month, day: day, second: time)
    }

    /// `Sun Nov  6 08:49:37 1994`
    private static func asctime(_ reader: inout FieldReader) -> Int? {
        guard reader.takeSpace(), let month = month(reader.word()), reader.takeSpace() else { return nil }
        _ = reader.takeSpace()
        guard let day = reader.number(digits: 1...2), reader.takeSpace(), let time = time(&reader),
            reader.takeSpace(), let year = reader.number(digits: 4...4)
        else { return nil }
        return Calendar.checked(year: year, month: month, day: day, second: time)
    }

    private static func time(_ reader: inout FieldReader) -> Int? {
        guard let hour = reader.number(digits: 2...2), hour < 24, reader.take(":"),
            let minute = reader.number(digits: 2...2), minute < 60, reader.take(":"),
            // 60 is a leap second, which counts as the first of the next minute.
            let second = reader.number(digits: 2...2), second <= 60
        else { return nil }
        return hour * 3_600 + minute * 60 + second
    }

    private static func zone(_ reader: inout FieldReader) -> Bool {
        guard reader.takeSpace() else { return false }
        return reader.word() == "gmt"
    }

    private static func month(_ name: String) -> Int? {
        Calendar.months.firstIndex { $0.lowercased() == name }.map { $0 + 1 }
    }

    /// Whether the name of a weekday is the short one; nil when it is none.
    private static func isShortWeekday(_ name: String) -> Bool? {
        for weekday in Calendar.weekdays.lazy.map({ $0.lowercased() }) {
            if name == weekday { return false }
            if name == weekday.prefix(3) { return true }
        }
        return nil
    }
}

/// The Gregorian calendar in whole days, also before it was adopted.
private enum Calendar {
    static let weekdays = ["Sunday", "Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday"]
    static let months = ["Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"]

    static func floorDivide(_ value: Int, _ divisor: Int) -> Int {
        value >= 0 ? value / divisor : -((divisor - 1 - value) / divisor)
    }

    /// Seconds from 1970 to a moment; nil for a day that the month does not have.
    static func checked(year: Int, month: Int, day: Int, second: Int) -> Int? {
        guard day >= 1, day <= length(ofMonth: month, in: year) else { return nil }
        return seconds(year: year, month: month, day: day) + second
    }

    static func length(ofMonth month: Int, in year: Int) -> Int {
        switch month {
        case 2: isLeap(year) ? 29 : 28
        case 4, 6, 9, 11: 30
        default: 31
        }
    }

    static func isLeap(_ year: Int) -> Bool {
        year.isMultiple(of: 4) && (!year.isMultiple(of: 100) || year.isMultiple(of: 400))
    }

    static func seconds(year: Int, month: Int, day: Int) -> Int {
        var days = daysBefore(year: year) - daysBefore(year: 1_970) + day - 1
        for earlier in 1..<max(1, month) { days += length(ofMonth: earlier, in: year) }
        return days * 86_400
    }

    /// Days from the start of year 0 to that of `year`, which is not negative.
    private static func daysBefore(year: Int) -> Int {
        guard year > 0 else { return 0 }
        let last = year - 1
        return year * 365 + last / 4 - last / 100 + last / 400 + 1
    }

    static func date(days: Int) -> (year: Int, month: Int, day: Int) {
        let sinceZero = days + daysBefore(year: 1_970)
        var year = max(0, sinceZero * 400 / 146_097)
        while daysBefore(year: year) > sinceZero { year -= 1 }
        while daysBefore(year: year + 1) <= sinceZero { year += 1 }
        var day = sinceZero - daysBefore(year: year)
        var month = 1
        while month < 12, day >= length(ofMonth: month, in: year) {
            day -= length(ofMonth: month, in: year)
            month += 1
        }
        return (year, month, day + 1)
    }

    /// 0 for Sunday.
    static func weekday(days: Int) -> Int {
        let remainder = (days + 4) % 7
        return remainder < 0 ? remainder + 7 : remainder
    }
}
