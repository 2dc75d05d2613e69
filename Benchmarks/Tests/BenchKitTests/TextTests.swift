import BenchKit
import Testing

@Suite struct TextTests {
    @Test(arguments: [
        (91_234.6, "91,235"), (1_234_567, "1,234,567"), (123.4, "123"), (12.94, "12.9"), (1.234, "1.23"),
        (0.4121, "0.412"),
        (0, "0.000"), (-5.5, "-5.50"), (999.6, "1,000"), (.infinity, "inf"),
    ])
    func numbersKeepThreeDigits(value: Double, text: String) {
        #expect(Text.number(value) == text)
    }

    @Test(arguments: [(0.854, "0.85"), (12, "12.00"), (123.4, "123"), (.infinity, "∞")])
    func ratiosHaveTwoPlaces(value: Double, text: String) {
        #expect(Text.ratio(value) == text)
    }

    @Test(arguments: [(13.0, "13"), (0.85, "0.85"), (5_000, "5,000")])
    func budgetsReadAsTheyWereWritten(value: Double, text: String) {
        #expect(Text.plain(value) == text)
    }
}
