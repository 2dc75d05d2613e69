// A user and a password in each request (RFC 7617), in UTF-8. Sent without being asked for: the challenge would say nothing
// that is not known, and cost a round trip.

import Foundation

/// Authenticates with a user and a password in Base64: `.basic(user:password:)`.
///
/// It steps aside where the caller has set an `Authorization` field. Who reads the request has the password, so it is
/// not sent over plain http.
public struct BasicAuthenticator: Authenticator {
    private let value: Result<Secret, MartletError>

    /// Makes an authenticator of a user, whose name holds no colon and no control character, and a password without the
    /// latter; others end the call with `invalidRequest`.
    public init(user: String, password: Secret) {
        value = Result { () throws(MartletError) in try Self.value(user: user, password: password) }
    }

    /// Sets the `Authorization` field. Throws `invalidRequest` for a user or password that cannot be sent.
    public nonisolated(nonsending) func prepare(_ request: inout Request) async throws {
        guard !request.hasOwnAuthorization else { return }
        request.headers.append("Authorization", try value.get().revealed)
    }

    /// The value of the field for a user and a password.
    static func value(user: String, password: Secret) throws(MartletError) -> Secret {
        guard !user.utf8.contains(UInt8(ascii: ":")) else {
            throw MartletError(.invalidRequest, "The user of basic authentication holds a colon, which ends its name.")
        }
        guard (user + password.revealed).utf8.allSatisfy({ $0 >= 0x20 && $0 != 0x7F }) else {
            throw MartletError(
                .invalidRequest, "The user or the password of basic authentication holds a control character.")
        }
        return Secret("Basic " + Data("\(user):\(password.revealed)".utf8).base64EncodedString())
    }
}

extension Authenticator where Self == BasicAuthenticator {
    /// A user and a password in each request (RFC 7617).
    public static func basic(user: String, password: Secret) -> BasicAuthenticator {
        BasicAuthenticator(user: user, password: password)
    }
}
