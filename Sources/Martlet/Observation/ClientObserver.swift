// Who is told of events: on the client, a scoped client and a call. Default: nobody, and then a call costs one look at a nil.

/// Somebody who is told what happens to calls.
///
/// An observer is called on whatever thread the event happens on, the connections' own among them: it must not block, and it cannot
/// change anything. The events of one call come one at a time and in order; those of different calls may come at the same time.
public protocol ClientObserver: Sendable {
    /// The events that the observer wants; all by default. Others are not made for it.
    var topics: ClientEvent.Topics { get }

    /// Told of an event.
    func observe(_ event: ClientEvent)
}

extension ClientObserver {
    /// All topics.
    public var topics: ClientEvent.Topics { .all }
}

/// An observer made of a closure: `.events { print($0) }`.
public struct ClosureObserver: ClientObserver {
    /// The events that the closure is told of.
    public let topics: ClientEvent.Topics
    private let tell: @Sendable (ClientEvent) -> Void

    fileprivate init(_ topics: ClientEvent.Topics, _ tell: @escaping @Sendable (ClientEvent) -> Void) {
        self.topics = topics
        self.tell = tell
    }

    /// Calls the closure.
    public func observe(_ event: ClientEvent) { tell(event) }
}

extension ClientObserver where Self == ClosureObserver {
    /// An observer that calls a closure, which must not block: `client.get("/").observing(.events { print($0) })`.
    public static func events(
        _ topics: ClientEvent.Topics = .all, _ tell: @escaping @Sendable (ClientEvent) -> Void
    ) -> ClosureObserver {
        ClosureObserver(topics, tell)
    }
}

extension Call {
    /// Adds observers to those of the client.
    public func observing(_ observers: any ClientObserver...) -> Call {
        changingPolicies { policies in
            policies.observers = ObserverSet((policies.observers?.observers ?? []) + observers)
        }
    }
}

/// The observers of a client or call, and what they want to hear between them.
final class ObserverSet: Sendable {
    let observers: [any ClientObserver]
    let topics: ClientEvent.Topics
    private let wanted: [ClientEvent.Topics]

    /// Nil without observers.
    init?(_ observers: [any ClientObserver]) {
        guard !observers.isEmpty else { return nil }
        self.observers = observers
        wanted = observers.map(\.topics)
        topics = wanted.reduce([]) { $0.union($1) }
    }

    func deliver(_ event: ClientEvent) {
        for index in observers.indices where wanted[index].contains(event.topic) { observers[index].observe(event) }
    }
}
