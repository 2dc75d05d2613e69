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

    @Test(arguments: [nil, CommandName.get, .post])
    func helpNamesEveryStatusOnce(_ command: CommandName?) {
        let codes = ExitStatus.table.map(\.status.code)
        #expect(Set(codes).count == codes.count)
        for code in codes { #expect(HelpText.text(for: command).contains("\n  \(code) ")) }
    }

    @Test(arguments: [nil] + CommandName.allCases)
    func helpFitsTheScreen(_ command: CommandName?) {
        let longest = HelpText.text(for: command).split(separator: "\n").map(\.count).max() ?? 0
        #expect(longest <= 100)
    }

    @Test(arguments: CommandName.requests)
    func helpNamesEveryOption(_ command: CommandName) {
        for option in OptionTable.options { #expect(HelpText.text(for: command).contains(option.long)) }
    }

    @Test func whatMayHaveHappenedIsSaidWhereItMatters() {
        func failure(_ method: HTTPMethod) -> ToolFailure {
            ToolFailure(
                MartletError(.connectionClosed, "It failed.").with {
                    $0.request = .init(method: method, url: "http://a/")
                    $0.mayHaveReachedServer = true
                })
        }
        #expect(failure(.get).message == "It failed. [GET http://a/]")
        #expect(failure(.post).message == "It failed. [POST http://a/] The request may have reached the server.")
    }

    @Test(arguments: [
        ("plain", "plain"), ("a\nb", "a b"), ("a\r\nb", "a  b"), ("red \u{1B}[31m", "red  [31m"), ("\u{9B}2J", " 2J"),
        ("a\u{202E}b", "a b"),
    ])
    func aMessageIsOneHarmlessLine(_ message: String, line: String) {
        #expect(Diagnostics.line(message) == "martlet-cli: \(line)\n")
    }
}
