import BenchKit
import Testing

@Suite struct ToolOutputTests {
    private let wrk = """
        Running 2s test @ http://127.0.0.1:8080/small
          1 threads and 64 connections
          Thread Stats   Avg      Stdev     Max   +/- Stdev
            Latency   666.35us  205.47us   8.36ms   94.27%
            Req/Sec    95.52k     3.43k  100.27k    85.71%
          199558 requests in 2.10s, 61.66MB read
        Requests/sec:  95035.87
        Transfer/sec:     29.36MB
        """

    @Test func wrkTellsRateAndCount() throws {
        let result = try #require(ToolOutput.wrk(wrk))
        #expect(result.perSecond == 95_035.87)
        #expect(result.requests == 199_558)
        #expect(ToolOutput.wrkFailures(wrk) == nil)
    }

    @Test(arguments: ["  Socket errors: connect 0, read 5, write 0, timeout 0", "  Non-2xx or 3xx responses: 12"])
    func wrkTellsFailures(line: String) {
        #expect(ToolOutput.wrkFailures(wrk + "\n" + line)?.hasPrefix("  ") == false)
    }

    @Test(arguments: ["", "unable to connect to 127.0.0.1:1", "  0 requests in 2.00s, 0.00B read\nRequests/sec:  0.00"])
    func wrkWithoutRequestsHasNoRate(output: String) {
        #expect(ToolOutput.wrk(output) == nil)
    }

    @Test func curlsFiguresAreOnTheLastLine() {
        #expect(ToolOutput.lastNumbers("noise\n0.412 0.001 1073741824 0") == [0.412, 0.001, 1_073_741_824, 0])
    }

    @Test(arguments: ["", "\n", "1 two 3"])
    func otherLinesAreNoFigures(output: String) {
        #expect(ToolOutput.lastNumbers(output) == nil)
    }
}
