// `events`: server-sent events, the data of each on lines of its own, over as many connections as it takes.

import Martlet

/// Prints the events of a stream.
struct EventsCommand: Sendable {
    let plan: RequestPlan
    let console: Console

    /// Returns when the server says that there are no more events.
    func run() async throws {
        try await MartletClient.withClient(try plan.configuration(console.diagnostics)) { client in
            for try await event in plan.call(client, Upload()).eventSource() {
                try console.output.write(event.data + "\n")
            }
        }
    }
}
