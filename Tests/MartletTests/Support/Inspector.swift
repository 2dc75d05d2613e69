// An observer that keeps what it was told, in words that tests can compare.

import Foundation
import MartletTesting

@testable import Martlet

/// Keeps events, and says when a number of calls has ended.
final class Inspector: ClientObserver {
    private let kept = Lock<[ClientEvent]>([])
    let topics: ClientEvent.Topics

    init(_ topics: ClientEvent.Topics = .all) { self.topics = topics }

    func observe(_ event: ClientEvent) { kept.withLock { $0.append(event) } }

    var events: [ClientEvent] { kept.withLock { $0 } }

    /// The words of all events, once so many calls have ended.
    func words(calls: Int = 1) async throws -> [String] {
        let end = ContinuousClock.now + .seconds(60)
        while true {
            let events = events
            if events.count(where: { $0.isEnd }) >= calls { return events.map(\.word) }
            guard ContinuousClock.now < end else { throw TestServerError.timedOut("the end of \(calls) calls") }
            try await Task.sleep(for: .milliseconds(1))
        }
    }
}

extension ClientEvent {
    var isEnd: Bool { if case .callEnded = kind { true } else { false } }

    /// The attempt, where there is one, and what happened.
    var word: String { attempt == 0 ? kind.word : "\(attempt) \(kind.word)" }
}

extension ClientEvent.Kind {
    var word: String {
        switch self {
        case .callStarted: "call"
        case .callEnded(let outcome, _): "end \(outcome)"
        case .layerEntered: "enter"
        case .layerLeft: "leave"
        case .attemptStarted(let request): "attempt \(request.url.path)"
        case .attemptEnded(let outcome, _): "over \(outcome)"
        case .waitingForConnection: "wait"
        case .lookUpStarted: "look up"
        case .connecting: "connecting"
        case .handshaking: "handshaking"
        case .connected: "connected"
        case .reusedConnection: "reused"
        case .requestHeadSent: "head sent"
        case .requestBodyProgress: "body sending"
        case .requestBodySent(let count): "body sent \(count)"
        case .informational(let head): "informational \(head.status.code)"
        case .responseHead(let head): "head \(head.status.code)"
        case .bodyProgress: "progress"
        case .bodyEnded(let count): "body \(count)"
        case .retrying(let cause, _): "retry \(cause)"
        case .notRetrying(let cause, let refusal): "no retry \(cause) \(refusal.rawValue)"
        case .redirecting(let status, let url): "redirect \(status.code) \(url.path)"
        case .notRedirecting(let status, let error): "no redirect \(status.code) \(error.map { "\($0.code)" } ?? "")"
        case .recovering(let error): "recover \(error.code)"
        case .decision(let policy, let words): "\(policy) \(words)"
        }
    }
}
