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

    private let h2load = """
        starting benchmark...
        Application protocol: h2
        Stopped all clients for thread #0

        finished in 1.00s, 76350.50 req/s, 16.38MB/s
        requests: 76350 total, 76414 started, 76350 done, 76350 succeeded, 0 failed, 0 errored, 0 timeout
        status codes: 76350 2xx, 0 3xx, 0 4xx, 0 5xx
        req/s           :   76341.21    76341.21    76341.21        0.00   100.00%
        """

    @Test func h2loadTellsRateAndCount() throws {
        let result = try #require(ToolOutput.h2load(h2load))
        #expect(result.perSecond == 76_350.5)
        #expect(result.requests == 76_350)
        #expect(ToolOutput.h2loadFailures(h2load) == nil)
    }

    @Test(arguments: [
        "1 failed, 0 errored, 0 timeout", "0 failed, 3 errored, 0 timeout", "0 failed, 0 errored, 2 timeout",
    ])
    func h2loadTellsFailures(words: String) {
        let output = h2load.replacing("0 failed, 0 errored, 0 timeout", with: words)
        #expect(ToolOutput.h2loadFailures(output)?.hasPrefix("requests: ") == true)
    }

    @Test(arguments: ["", "finished in 371us, 0.00 req/s, 0B/s\nrequests: 1000 total, 0 succeeded, 1000 failed"])
    func h2loadWithoutRequestsHasNoRate(output: String) {
        #expect(ToolOutput.h2load(output) == nil)
    }

    @Test func curlsFiguresAreOnTheLastLine() {
        #expect(ToolOutput.lastNumbers("noise\n0.412 0.001 1073741824 0") == [0.412, 0.001, 1_073_741_824, 0])
    }

    @Test(arguments: ["", "\n", "1 two 3"])
    func otherLinesAreNoFigures(output: String) {
        #expect(ToolOutput.lastNumbers(output) == nil)
    }
}
