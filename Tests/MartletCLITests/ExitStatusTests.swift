import Martlet
import Testing

@testable import MartletCLI

@Suite struct ExitStatusTests {
    @Test(arguments: [
        (MartletError.Code.invalidURL, 3), (.nameNotFound, 3), (.lookUpFailed, 3), (.lookUpSaturated, 3),
        (.connectionRefused, 4), (.connectFailed, 4), (.tooManyOpenFiles, 4),
        (.connectTimeout, 5), (.idleTimeout, 5), (.deadlineExceeded, 5),
        (.tlsHandshakeFailed, 6), (.certificateHostMismatch, 6), (.certificateExpired, 6), (.certificateSelfSigned, 6),
        (.certificateIssuerUnknown, 6), (.tlsConfigurationInvalid, 6),
        (.connectionClosed, 7), (.bodyTruncated, 7), (.invalidResponse, 7), (.headTooLarge, 7),
        (.invalidRequest, 2), (.other, 1), (.init("unheardOf"), 1),
    ])
    func eachErrorHasItsStatus(_ code: MartletError.Code, status: Int) {
        #expect(ToolFailure(MartletError(code, "It failed.")) == ToolFailure(ExitStatus(Int32(status)), "It failed."))
    }

    @Test func cancellationIsInterruption() {
        #expect(ToolFailure(CancellationError()).status == .interrupted)
    }

    @Test func helpNamesEveryStatusOnce() {
        let codes = ExitStatus.table.map(\.status.code)
        #expect(Set(codes).count == codes.count)
        for code in codes { #expect(HelpText.text.contains("\n  \(code) ")) }
    }

    @Test func helpFitsTheScreen() {
        let longest = HelpText.text.split(separator: "\n").map(\.count).max() ?? 0
        #expect(longest <= 110)
    }

    @Test(arguments: [
        ("plain", "plain"), ("a\nb", "a b"), ("a\r\nb", "a  b"), ("red \u{1B}[31m", "red  [31m"), ("\u{9B}2J", " 2J"),
    ])
    func aMessageIsOneHarmlessLine(_ message: String, line: String) {
        #expect(Diagnostics.line(message) == "martlet-cli: \(line)\n")
    }
}
