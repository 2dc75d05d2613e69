// Which responses a call takes. Looked at as soon as the head is there, before anything of the body is decoded, and by the sequences as
// well; `response()` and `stream()` take all. Default: statuses from 200 to 299, any media type. The first check that fails decides.

import Foundation

/// What a response has to be like.
struct ResponseValidation: Sendable {
    var statuses: StatusSet
    /// By reference, and nil for most calls: a call is copied often.
    private var more: More?

    init(statuses: StatusSet) { self.statuses = statuses }

    enum Check: Sendable {
        case contentTypes([String])
        case requestedTypes
        case custom(@Sendable (ResponseHead) throws -> Void)
    }

    typealias ErrorDecoder = @Sendable (Response<Data>, SerializationContext) -> (any Error)?

    private final class More: Sendable {
        let checks: [Check]
        /// How many of the checks come before that of the status.
        let beforeStatus: Int
        let errorDecoder: ErrorDecoder?

        init(checks: [Check] = [], beforeStatus: Int = 0, errorDecoder: ErrorDecoder? = nil) {
            self.checks = checks
            self.beforeStatus = beforeStatus
            self.errorDecoder = errorDecoder
        }
    }

    /// Replaces the statuses; they are looked at after the checks that are there.
    mutating func accept(_ statuses: StatusSet) {
        self.statuses = statuses
        guard let more else { return }
        self.more = More(checks: more.checks, beforeStatus: more.checks.count, errorDecoder: more.errorDecoder)
    }

    mutating func add(_ check: Check) {
        more = More(
            checks: (more?.checks ?? []) + [check], beforeStatus: more?.beforeStatus ?? 0,
            errorDecoder: more?.errorDecoder)
    }

    mutating func decodeErrors(_ decoder: @escaping ErrorDecoder) {
        more = More(
            checks: more?.checks ?? [], beforeStatus: more?.beforeStatus ?? 0, errorDecoder: decoder)
    }

    var errorDecoder: ErrorDecoder? { more?.errorDecoder }

    /// Why the response is refused; nil when it is not.
    @inline(__always)
    func refusal(of head: ResponseHead, to request: Request) -> MartletError? {
        if more == nil, statuses.contains(head.status) { return nil }
        return firstRefusal(of: head, to: request)
    }

    @inline(never)
    private func firstRefusal(of head: ResponseHead, to request: Request) -> MartletError? {
        let checks = more?.checks ?? []
        let beforeStatus = more?.beforeStatus ?? 0
        for check in checks.prefix(beforeStatus) {
            if let refusal = Self.refusal(of: head, to: request, by: check) { return refusal }
        }
        guard statuses.contains(head.status) else {
            return MartletError(.unacceptableStatus, "The server answered \(head.status).")
        }
        for check in checks.dropFirst(beforeStatus) {
            if let refusal = Self.refusal(of: head, to: request, by: check) { return refusal }
        }
        return nil
    }

    private static func refusal(of head: ResponseHead, to request: Request, by check: Check) -> MartletError? {
        switch check {
        case .contentTypes(let patterns):
            return refusal(of: head, to: request.method, accepting: patterns)
        case .requestedTypes:
            let choices = request.headers.choices(for: "Accept").choices
            let patterns = choices.filter { $0.quality > 0 }.map(\.value)
            return refusal(of: head, to: request.method, accepting: choices.isEmpty ? ["*/*"] : patterns)
        case .custom(let check):
            do {
                try check(head)
                return nil
            } catch let error as MartletError {
                return error
            } catch {
                return MartletError(
                    .validationFailed, "The response was refused by a check of the call.", underlying: error)
            }
        }
    }

    private static func refusal(
        of head: ResponseHead, to method: HTTPMethod, accepting patterns: [String]
    ) -> MartletError? {
        // A body that is not there is of no type.
        if method == .head || head.status == .noContent || head.status == .resetContent
            || head.headers.contentLength == 0
        {
            return nil
        }
        let wanted = patterns.compactMap { MediaType($0) }
        let list = patterns.isEmpty ? "no type at all" : patterns.joined(separator: ", ")
        guard let given = head.headers.contentType else {
            if wanted.contains(where: { $0.essence == "*/*" }) { return nil }
            return MartletError(
                .unacceptableContentType, "The response has no Content-Type, where \(list) was asked for.")
        }
        if let type = MediaType(given), wanted.contains(where: { type.matches($0) }) { return nil }
        // The text is the server's: as much of it as is a type at all.
        let shown = MediaType(given)?.essence ?? "no media type that can be read"
        return MartletError(.unacceptableContentType, "The response is \(shown), where \(list) was asked for.")
    }
}
