// What the layers of one call under way have in common. Made only for calls that have layers to walk.

import Foundation
import Synchronization

/// One call on its way through its layers.
final class CallContext: Sendable {
    let core: ClientCore
    let layers: LayerStack
    /// When the call must have ended, on the engine's clock; nil without a total timeout.
    let deadline: MonotonicInstant?
    /// The same on the clock of the policies.
    let policyDeadline: MonotonicInstant?
    /// The call as its observers see it; nil without any.
    let observed: ObservedCall?
    private let hasTransmitted = Atomic(false)

    init(
        _ core: ClientCore, _ layers: LayerStack, deadline: MonotonicInstant?, policyDeadline: MonotonicInstant? = nil,
        observed: ObservedCall? = nil
    ) {
        self.core = core
        self.layers = layers
        self.observed = observed
        self.deadline = deadline
        self.policyDeadline = policyDeadline
    }

    /// The request with the call's deadline, which a layer that made a request anew has lost.
    func bounded(_ request: Request) -> Request {
        hasTransmitted.store(true, ordering: .relaxed)
        guard let deadline, request.options.deadline == nil else { return request }
        var request = request
        request.options.deadline = deadline
        return request
    }

    /// Whether the request has been handed to the transport, by whatever layer.
    var mayHaveReachedServer: Bool { hasTransmitted.load(ordering: .relaxed) }
}

extension Request {
    /// The request with an `Idempotency-Key`, if it is of a method that needs one and has none.
    func withIdempotencyKey() -> Request {
        guard method == .post || method == .patch, !headers.contains(RetryPolicy.idempotencyKeyField) else {
            return self
        }
        var request = self
        request.headers[RetryPolicy.idempotencyKeyField] = UUID().uuidString.lowercased()
        return request
    }
}
