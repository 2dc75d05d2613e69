// Name look-ups as a test wants them.

import MartletTesting

@testable import Martlet

/// Has one answer for every name, or none until the test gives one.
final class ScriptedResolver: NameResolver {
    typealias Answer = Result<[SocketAddress], MartletError>

    let asked = TestSignal()
    let cancelled = TestSignal()
    private let answer: Answer?
    private let waiting = Lock<[@Sendable (Answer) -> Void]>([])

    init(_ answer: Answer?) { self.answer = answer }

    func lookUp(_ name: String, completion: @escaping @Sendable (Answer) -> Void) -> LookUpTicket {
        if let answer { completion(answer) } else { waiting.withLock { $0.append(completion) } }
        asked.fire()
        return LookUpTicket { self.cancelled.fire() }
    }

    /// Gives those who asked their answer, whether they still want it or not.
    func answerLate(_ answer: Answer) {
        let completions = waiting.withLock { waiting in
            defer { waiting = [] }
            return waiting
        }
        for completion in completions { completion(answer) }
    }
}
