// `demo`: starts a server, goes through the tour on it and says how each stop went.

import Martlet
import MartletTesting

/// Tours the SDK.
struct DemoCommand: Sendable {
    let screen: Screen

    /// Success when every stop went as it should.
    func run() async throws -> ExitStatus {
        let server = try await DemoServer.start()
        var options = TestServer.Options()
        options.listens = false
        let closed = try await TestServer.start(options) { _ in }
        let client = MartletClient(baseURL: server.baseURL).scoped { $0.allowsOtherOrigins = true }
        let outcome: Result<ExitStatus, any Error>
        do {
            let tour = DemoTour(client: client, server: server, closedURL: closed.url("/"), screen: screen)
            outcome = .success(try await visit(tour))
        } catch {
            outcome = .failure(error)
        }
        await client.shutdown()
        await server.stop()
        await closed.stop()
        return try outcome.get()
    }

    private func visit(_ tour: DemoTour) async throws -> ExitStatus {
        let start = ContinuousClock.now
        try screen.print(screen.styled("Martlet \(MartletClient.version)", .title))
        try screen.print("A tour on a server of its own, at \(tour.server.baseURL)")
        var surprises = 0
        for (number, stop) in DemoTour.stops.enumerated() {
            try screen.print()
            try screen.print("\(number + 1)  \(screen.styled(stop.title, .title))")
            let code = screen.terminal.isUnicode ? stop.code : stop.code.replacing("…", with: "...")
            try screen.print("   \(screen.styled(code, .code))")
            if try await !visit(stop, of: tour) { surprises += 1 }
        }
        let time = Figures.time(.now - start)
        try screen.print()
        guard surprises == 0 else {
            throw ToolFailure(.failure, "\(surprises) of \(DemoTour.stops.count) stops did not go as they should.")
        }
        try screen.print("All \(DemoTour.stops.count) went as they should, in \(time).")
        return .success
    }

    private func visit(_ stop: DemoTour.Stop, of tour: DemoTour) async throws -> Bool {
        let start = ContinuousClock.now
        let text: String
        let isGood: Bool
        do {
            text = try await stop.visit(tour)
            isGood = true
        } catch let error as CancellationError {
            throw error
        } catch let error as ReaderGone {
            throw error
        } catch let error as ToolFailure {
            throw error
        } catch {
            text = "\(error)"
            isGood = false
        }
        let time = Figures.time(.now - start).rightAligned(to: 8)
        let sign = screen.terminal.isUnicode ? (isGood ? "✓" : "✗") : (isGood ? "+" : "!")
        let margin = "   \(screen.styled(sign, isGood ? .good : .bad)) \(screen.styled(time, .faint))  "
        try screen.print(text, margin: margin, width: 15)
        return isGood
    }
}
