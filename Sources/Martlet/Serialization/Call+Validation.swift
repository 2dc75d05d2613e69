// What a call takes for an answer, and what it makes of one that it does not take.

import Foundation

extension Call {
    /// Sets the statuses that decoding terminals and sequences accept; 200 to 299 by default. Others end them with
    /// `unacceptableStatus`.
    public func accepting(_ statuses: StatusSet) -> Call { with { $0.validation.accept(statuses) } }

    /// Accepts responses of these media types only; of any by default. Others end decoding terminals and sequences with
    /// `unacceptableContentType`.
    ///
    /// `text/*`, `*/json` and `*/*` stand for several; `application/json` accepts `application/problem+json` as well. Case and
    /// parameters are passed over. A response without a body is accepted; one with a body and without a type by `*/*` alone.
    public func accepting(contentTypes: [String]) -> Call { with { $0.validation.add(.contentTypes(contentTypes)) } }

    /// Accepts responses of the media types only that the request's `Accept` names.
    public func acceptingRequestedTypes() -> Call { with { $0.validation.add(.requestedTypes) } }

    /// Has each response looked at by `check` when its head is there, after the checks that were set before, the status by default
    /// the first of them.
    ///
    /// What it throws ends decoding terminals and sequences with `validationFailed`, whose `underlying` it is; a `MartletError` is
    /// thrown as it is, with the response.
    public func validating(_ check: @escaping @Sendable (ResponseHead) throws -> Void) -> Call {
        with { $0.validation.add(.custom(check)) }
    }

    /// Decodes the JSON of responses whose status is not accepted as an error of your own: it is `underlying` of the
    /// `unacceptableStatus`.
    ///
    /// ```swift
    /// struct Failure: Decodable, Error { var reason: String }
    ///
    /// do {
    ///     try await client.post("/orders", json: order).errors(as: Failure.self).discard()
    /// } catch let error as MartletError {
    ///     if let failure = error.underlying as? Failure { print(failure.reason) }
    /// }
    /// ```
    ///
    /// A body that cannot be decoded, or that is above 16 KiB, leaves it out.
    public func errors<Failure: Decodable & Error>(as type: Failure.Type) -> Call { errors(by: .json(type)) }

    /// Has errors of your own made of responses whose status is not accepted, by a serializer.
    public func errors<Serializer: ResponseSerializer>(by serializer: Serializer) -> Call
    where Serializer.Value: Error {
        with {
            $0.validation.decodeErrors { response, context in try? serializer.serialize(response, in: context) }
        }
    }
}

extension CallDefaults {
    /// The media types that decoding terminals and sequences accept, on top of the status; see ``Call/accepting(contentTypes:)``. Any by
    /// default.
    public mutating func accept(contentTypes: [String]) { validation.add(.contentTypes(contentTypes)) }

    /// Has each response looked at; see ``Call/validating(_:)``.
    public mutating func validate(_ check: @escaping @Sendable (ResponseHead) throws -> Void) {
        validation.add(.custom(check))
    }

    /// Decodes the JSON of responses whose status is not accepted; see ``Call/errors(as:)``.
    public mutating func decodeErrors<Failure: Decodable & Error>(as type: Failure.Type) {
        validation.decodeErrors { response, context in
            try? JSONResponseSerializer<Failure>().serialize(response, in: context)
        }
    }
}
