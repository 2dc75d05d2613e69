// What happened, in order, whoever says it.

@testable import Martlet

/// A list of steps that may be added to from anywhere.
final class Trail: Sendable {
    private let list = Lock<[String]>([])

    /// The steps so far.
    var steps: [String] { list.withLock { $0 } }

    /// Adds a step.
    func add(_ step: String) { list.withLock { $0.append(step) } }
}
