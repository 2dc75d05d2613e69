// Trace context by the rules of the W3C recommendation: what is read, what is made, and what goes with each attempt.

import Foundation
import MartletTesting
import Testing

@testable import Martlet

@Suite(.timeLimit(.minutes(5))) struct TraceContextTests {
    private static let trace = "0af7651916cd43dd8448eb211c80319c"
    private static let parent = "00-\(trace)-b7ad6b7169203331-01"

    @Test func fieldIsRead() throws {
        let context = try #require(TraceContext(traceparent: Self.parent, state: "a=1,b=2"))
        #expect(context.traceID == Self.trace)
        #expect(context.spanID == "b7ad6b7169203331")
        #expect(context.isSampled)
        #expect(context.state == "a=1,b=2")
        #expect(context.traceparent == Self.parent)
        #expect(TraceContext(traceparent: "00-\(Self.trace)-b7ad6b7169203331-fe")?.isSampled == false)
    }

    @Test(arguments: [
        "", "00", "00-\(trace)-b7ad6b7169203331", "ff-\(trace)-b7ad6b7169203331-01",
        "00-00000000000000000000000000000000-b7ad6b7169203331-01", "00-\(trace)-0000000000000000-01",
        "00-0AF7651916CD43DD8448EB211C80319C-b7ad6b7169203331-01", "00-\(trace)-b7ad6b7169203331-01-extra",
        "00-\(trace)-b7ad6b7169203331-0x", "00-\(trace)-b7ad6b7169203331.01", "0-\(trace)-b7ad6b7169203331-011",
        "01-\(trace)-b7ad6b7169203331-01x", "00-\(trace)é-b7ad6b716920333-01",
    ]) func invalidFieldIsNone(field: String) { #expect(TraceContext(traceparent: field) == nil) }

    @Test(arguments: ["01-\(trace)-b7ad6b7169203331-01", "cc-\(trace)-b7ad6b7169203331-01-what-may-come"])
    func laterVersionIsReadAsFarAsItIsKnown(field: String) {
        #expect(TraceContext(traceparent: field)?.traceparent == Self.parent)
    }

    @Test func identifiersAreRandomAndNeverZero() {
        struct Zeros: RandomNumberGenerator {
            var numbers: [UInt64] = [0, 0, 7, 0, 0, 9]
            mutating func next() -> UInt64 { numbers.isEmpty ? 1 : numbers.removeFirst() }
        }
        var zeros = Zeros()
        let context = TraceContext.root(using: &zeros)
        #expect(context.traceID == "00000000000000000000000000000007")
        #expect(context.spanID == "0000000000000009")
        #expect(TraceContext.root().traceID != TraceContext.root().traceID)
        let child = context.child()
        #expect(child.traceID == context.traceID)
        #expect(child.spanID != context.spanID)
    }

    private static func sent(
        _ layer: TracePropagation, parent: String? = nil, state: String? = nil, current: TraceContext? = nil
    ) async throws -> [(parent: String?, state: String?)] {
        let transport = MockTransport(answers: [.status(503), .text("done")])
        let client = MartletClient.mocked(transport) {
            $0.defaults.attemptInterceptors = [layer]
            $0.defaults.retry = .idempotent
        }
        var call = client.get("/")
        if let parent { call = call.header("traceparent", parent) }
        if let state { call = call.header("tracestate", state) }
        let ready = call
        try await TraceContext.$current.withValue(current) { _ = try await ready.data() }
        return transport.requests.map { ($0.headers["traceparent"], $0.headers["tracestate"]) }
    }

    @Test func eachAttemptIsASpanOfTheCurrentTrace() async throws {
        let current = TraceContext(traceparent: Self.parent, state: "a=1")
        let sent = try await Self.sent(.traceContext(), current: current)
        let contexts = sent.compactMap { TraceContext(traceparent: $0.parent, state: $0.state) }
        #expect(contexts.map(\.traceID) == [Self.trace, Self.trace])
        #expect(Set(contexts.map(\.spanID) + ["b7ad6b7169203331"]).count == 3)
        #expect(contexts.map(\.state) == ["a=1", "a=1"])
    }

    @Test func fieldOfTheCallIsContinued() async throws {
        let sent = try await Self.sent(.traceContext(), parent: Self.parent, state: "a=1")
        #expect(sent.allSatisfy { $0.parent?.hasPrefix("00-\(Self.trace)-") == true && $0.state == "a=1" })
        #expect(Set(sent.compactMap(\.parent)).count == 2)
    }

    @Test func invalidFieldIsReplacedAndItsStateLeftOut() async throws {
        let sent = try await Self.sent(.traceContext(startsSampled: false), parent: "00-bad", state: "a=1")
        for (parent, state) in sent {
            #expect(TraceContext(traceparent: parent)?.isSampled == false)
            #expect(state == nil)
        }
    }

    @Test func traceBeginsWhereThereIsNone() async throws {
        let sent = try await Self.sent(.traceContext(randomness: SeededRandom(seed: 1)))
        #expect(sent.allSatisfy { TraceContext(traceparent: $0.parent) != nil && $0.state == nil })
    }

    @Test func spanOfATracerIsSentAsItIs() async throws {
        let current = TraceContext(traceparent: Self.parent)
        let sent = try await Self.sent(.traceContext(makesSpans: false), current: current)
        #expect(sent.map(\.parent) == [Self.parent, Self.parent])
    }

    @Test func nothingIsSentUnlessAskedFor() async throws {
        let transport = MockTransport(answers: [.text("a")])
        let client = MartletClient.mocked(transport)
        let current = TraceContext(traceparent: Self.parent)
        try await TraceContext.$current.withValue(current) { _ = try await client.get("/").data() }
        #expect(transport.requests.first?.headers["traceparent"] == nil)
    }
}
