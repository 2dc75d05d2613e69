// Dates of header fields: the forms of RFC 9110, section 5.6.7, and what is none of them.

import Foundation
import Testing

@testable import Martlet

@Suite struct HTTPDateTests {
    private static let example = 784_111_777
    /// 30 November 2026.
    private static let now = Date(timeIntervalSince1970: 1_795_996_800)

    @Test(
        arguments: [
            ("Sun, 06 Nov 1994 08:49:37 GMT", example), ("Sunday, 06-Nov-94 08:49:37 GMT", example),
            ("Sun Nov  6 08:49:37 1994", example), ("Sun Nov 06 08:49:37 1994", example),
            ("sun, 06 nov 1994 08:49:37 gmt", example), ("Sun, 6 Nov 1994 08:49:37 GMT", example),
            ("  Sun, 06 Nov 1994 08:49:37 GMT\t", example), ("Mon, 06 Nov 1994 08:49:37 GMT", example),
            ("Thu, 01 Jan 1970 00:00:00 GMT", 0), ("Wed, 31 Dec 1969 23:59:59 GMT", -1),
            ("Tue, 29 Feb 2000 12:00:00 GMT", 951_825_600), ("Fri, 31 Dec 9999 23:59:59 GMT", 253_402_300_799),
            ("Sat, 01 Jan 0000 00:00:00 GMT", -62_167_219_200), ("Sat, 31 Dec 2016 23:59:60 GMT", 1_483_228_800),
            // Two digits: at most 50 years ahead of 2026.
            ("Thursday, 31-Dec-76 00:00:00 GMT", 3_376_598_400), ("Friday, 31-Dec-77 00:00:00 GMT", 252_374_400),
            ("Saturday, 01-Jan-00 00:00:00 GMT", 946_684_800),
        ])
    func dateIsRead(_ text: String, _ seconds: Int) {
        #expect(HTTPDate(text, now: Self.now)?.secondsSince1970 == seconds)
    }

    @Test(arguments: [
        "", " ", "0", "-1", "784111777", "Sun", "Sun,", "Sun, 06 Nov 1994", "Sun, 06 Nov 1994 08:49:37",
        "Sun, 06 Nov 1994 08:49:37 PST", "Sun, 06 Nov 1994 08:49:37 +0000", "Sun, 06 Nov 1994 08:49:37 GMT GMT",
        "Sun, 06 Nov 1994 8:49:37 GMT", "Sun, 06 Nov 1994 24:00:00 GMT", "Sun, 06 Nov 1994 08:60:37 GMT",
        "Sun, 06 Nov 1994 08:49:61 GMT", "Sun, 06 Nov 94 08:49:37 GMT", "Sun, 06 Nov 19940 08:49:37 GMT",
        "Sun, 31 Nov 1994 08:49:37 GMT", "Sun, 00 Nov 1994 08:49:37 GMT", "Tue, 29 Feb 1900 08:49:37 GMT",
        "Mon, 29 Feb 2100 08:49:37 GMT", "Sun, 06 Nob 1994 08:49:37 GMT", "Xyz, 06 Nov 1994 08:49:37 GMT",
        "06 Nov 1994 08:49:37 GMT", "Sun  06 Nov 1994 08:49:37 GMT", "Sun,06 Nov 1994 08:49:37 GMT",
        "Sun, 06  Nov 1994 08:49:37 GMT", "Sunday, 06 Nov 1994 08:49:37 GMT", "Sun, 06-Nov-94 08:49:37 GMT",
        "Sunday Nov  6 08:49:37 1994", "Sun Nov 6 08:49:37 1994 GMT", "Sun Nov   6 08:49:37 1994",
        "1994-11-06T08:49:37Z", "Sun, 006 Nov 1994 08:49:37 GMT", "Sun, 06 Nov 1994 08-49-37 GMT", "Sün, 06 Nov 1994",
    ])
    func textOfNoFormIsNoDate(_ text: String) {
        #expect(HTTPDate(text, now: Self.now) == nil)
    }

    @Test func dateIsWrittenAsItIsRead() throws {
        #expect(HTTPDate(secondsSince1970: Self.example).description == "Sun, 06 Nov 1994 08:49:37 GMT")
        #expect(HTTPDate(secondsSince1970: 0).description == "Thu, 01 Jan 1970 00:00:00 GMT")
        #expect(HTTPDate(secondsSince1970: -62_167_219_200).description == "Sat, 01 Jan 0000 00:00:00 GMT")
        var random = SeededRandom(seed: 1)
        for _ in 0..<500 {
            let seconds = Int.random(in: -62_167_219_200...253_402_300_799, using: &random)
            let date = HTTPDate(secondsSince1970: seconds)
            #expect(HTTPDate(date.description) == date, "\(seconds)")
        }
    }

    @Test func writingAgreesWithFoundation() throws {
        let formatter = DateFormatter()
        formatter.locale = Locale(identifier: "en_US_POSIX")
        formatter.timeZone = TimeZone(secondsFromGMT: 0)
        formatter.dateFormat = "EEE, dd MMM yyyy HH:mm:ss 'GMT'"
        var random = SeededRandom(seed: 2)
        for _ in 0..<200 {
            // From 1700 to 2500; Foundation's calendar is another one before 1582.
            let date = HTTPDate(secondsSince1970: Int.random(in: -8_520_336_000...16_725_225_600, using: &random))
            #expect(date.description == formatter.string(from: date.date))
        }
    }

    @Test func momentThatCannotBeWrittenBecomesTheNearest() {
        let last = "Fri, 31 Dec 9999 23:59:59 GMT"
        let first = "Sat, 01 Jan 0000 00:00:00 GMT"
        #expect(HTTPDate(Date(timeIntervalSince1970: 1e300)).description == last)
        #expect(HTTPDate(Date(timeIntervalSince1970: .infinity)).description == last)
        #expect(HTTPDate(Date(timeIntervalSince1970: -1e300)).description == first)
        #expect(HTTPDate(secondsSince1970: .max).description == last)
        #expect(HTTPDate(secondsSince1970: .min).description == first)
        #expect(HTTPDate(Date(timeIntervalSince1970: -0.5)).secondsSince1970 == -1)
        #expect(HTTPDate(Date(timeIntervalSince1970: 1.9)).secondsSince1970 == 1)
        _ = HTTPDate(Date(timeIntervalSince1970: .nan))
        // A century is found for any clock.
        for seconds in [1e300, -1e300, .nan, 0] {
            let now = Date(timeIntervalSince1970: seconds)
            _ = HTTPDate("Sunday, 06-Nov-94 08:49:37 GMT", now: now)
        }
    }

    @Test func datesAreOrderedByTime() throws {
        let early = try #require(HTTPDate("Sun, 06 Nov 1994 08:49:37 GMT"))
        let late = try #require(HTTPDate("Sun, 06 Nov 1994 08:50:37 GMT"))
        #expect(early < late)
        #expect(early.duration(to: late) == .seconds(60))
        #expect(early.date == Date(timeIntervalSince1970: Double(Self.example)))
    }
}

@Suite struct RetryAfterTests {
    private static let now = Date(timeIntervalSince1970: 784_111_777)

    @Test(
        arguments: [
            ("120", 120), ("0", 0), (" 2\t", 2), ("007", 7), ("99999999999999999999999999", 1 << 31),
            ("9223372036854775807", 1 << 31), ("Sun, 06 Nov 1994 08:51:37 GMT", 120),
            ("Sunday, 06-Nov-94 08:51:37 GMT", 120), ("Sun Nov  6 08:51:37 1994", 120),
            ("Sun, 06 Nov 1994 08:49:36 GMT", 0), ("Thu, 01 Jan 1970 00:00:00 GMT", 0),
            ("Fri, 31 Dec 9999 23:59:59 GMT", 252_618_189_022),
        ])
    func delayIsRead(_ text: String, _ seconds: Int) throws {
        let headers: HTTPHeaders = ["Retry-After": text]
        #expect(headers.retryDelay(now: Self.now) == .seconds(seconds))
        #expect(headers.retryAfter != nil)
    }

    @Test(arguments: ["", "-1", "+1", "1.5", "1e3", "soon", "1 2", "0x10", "٣", "1,2"])
    func whatIsNeitherNumberNorDateIsNotSaid(_ text: String) {
        let headers: HTTPHeaders = ["Retry-After": text]
        #expect(headers.retryAfter == nil)
        #expect(headers.retryDelay() == nil)
    }

    @Test func momentIsComparedWithTheServersClock() {
        let headers: HTTPHeaders = [
            "Date": "Sun, 06 Nov 2044 08:49:37 GMT", "Retry-After": "Sun, 06 Nov 2044 08:49:47 GMT",
        ]
        #expect(headers.retryDelay(now: Self.now) == .seconds(10))
        let unreadable: HTTPHeaders = ["Date": "today", "Retry-After": "Sun, 06 Nov 1994 08:49:47 GMT"]
        #expect(unreadable.retryDelay(now: Self.now) == .seconds(10))
        #expect(HTTPHeaders().retryDelay() == nil)
        #expect(headers.date(for: "date")?.description == "Sun, 06 Nov 2044 08:49:37 GMT")
    }

    @Test func valueIsWrittenAsItStands() {
        #expect(RetryAfter("120")?.description == "120")
        #expect(RetryAfter("Sunday, 06-Nov-94 08:49:37 GMT")?.description == "Sun, 06 Nov 1994 08:49:37 GMT")
        #expect(RetryAfter.seconds(-5).delay(from: HTTPDate(Self.now)) == .zero)
    }
}
