// Errors of calls in tests: caught, checked for their code, and handed back for what else a test asks of them.

import Martlet
import Testing

/// The error that `body` ends with, which must have this code; nil, and an issue, when it ends otherwise.
@discardableResult
nonisolated(nonsending) func expectFailure<Value>(
    _ code: MartletError.Code, sourceLocation: SourceLocation = #_sourceLocation,
    _ body: nonisolated(nonsending) () async throws -> Value
) async -> MartletError? {
    do {
        let value = try await body()
        Issue.record("Expected \(code), but got \(value)", sourceLocation: sourceLocation)
    } catch let error as MartletError {
        #expect(error.code == code, "\(error)", sourceLocation: sourceLocation)
        return error
    } catch {
        Issue.record("Expected \(code), but caught \(error)", sourceLocation: sourceLocation)
    }
    return nil
}

/// Bytes of a peer and a name for them, for parameterised tests.
struct WireCase: Sendable, CustomTestStringConvertible {
    let name: String
    let bytes: String

    init(_ name: String, _ bytes: String) {
        self.name = name
        self.bytes = bytes
    }

    var testDescription: String { name }
}

extension MartletClient {
    /// Gets a path, which must bring this text.
    nonisolated(nonsending) func expectText(
        _ expected: String, at path: String = "/", sourceLocation: SourceLocation = #_sourceLocation
    ) async throws {
        let text = try await get(path).string()
        #expect(text == expected, sourceLocation: sourceLocation)
    }
}
