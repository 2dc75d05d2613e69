import BenchKit
import Testing

@Suite struct MachineTimeTests {
    private let start = MachineTime(stat: "cpu  100 0 100 700 50 10 30 10 0 0\ncpu0 1 2 3\n")

    @Test func waitingForADiskIsNotWork() throws {
        let time = try #require(start)
        #expect([time.busy, time.idle, time.interrupts, time.stolen] == [200, 750, 40, 10])
    }

    @Test func whatOthersTookIsTold() throws {
        let end = try #require(MachineTime(stat: "cpu  700 0 200 900 50 10 30 110 0 0\n"))
        let account = end.account(since: try #require(start), own: 500)
        #expect(account.hasPrefix("Meanwhile 20 % of the CPU went to other processes, 10 % to other"))
        #expect(account.hasSuffix("do not rely on these figures."))
    }

    @Test func aQuietMachineIsNoReasonForDoubt() throws {
        let end = try #require(MachineTime(stat: "cpu  700 0 200 900 50 10 30 10 0 0\n"))
        #expect(end.account(since: try #require(start), own: 690).hasSuffix("same host."))
    }

    @Test(arguments: ["", "cpu  1 2 3\n", "cpu0 1 2 3 4 5 6 7 8\n"])
    func otherTextIsNoTime(text: String) {
        #expect(MachineTime(stat: text) == nil)
    }
}
