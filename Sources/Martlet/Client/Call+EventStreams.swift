// A call or a body as a stream of events, JSON values or frames. Each is a stage on the chunks: it holds what belongs to the
// element that comes next, and nothing else.

public import Foundation

extension Call {
    /// The server-sent events of the response; sent when iteration begins, with `Accept: text/event-stream`. Ends when
    /// the response does; nothing connects again.
    ///
    /// ```swift
    /// for try await event in client.post("/v1/chat", json: prompt).events { print(event.data) }
    /// ```
    ///
    /// - Throws: at the first step `unacceptableStatus`, and `unacceptableContentType` when the response is no event
    ///   stream; `frameTooLarge` for an event above 1 MiB; what the transfer fails with.
    public var events: ServerSentEvents<Chunks> { ServerSentEvents(eventChunks) }

    /// The data of the server-sent events, each decoded as JSON, up to an event whose data is `last`, which is how many
    /// services mark the end. Events without data are passed over.
    ///
    /// ```swift
    /// for try await part in client.post("/v1/chat", json: prompt).events(decoding: Part.self, until: "[DONE]") {
    ///     print(part.text)
    /// }
    /// ```
    ///
    /// - Throws: what ``events`` throws, and `decodingFailed`.
    public func events<Value: Decodable>(
        decoding type: Value.Type, until last: String? = nil
    ) -> JSONValues<Chunks, Value> {
        JSONValues(
            eventChunks, .events(until: last),
            decoder: client.defaults.jsonDecoder)
    }

    /// The lines of the response, each decoded as JSON (NDJSON, JSON Lines); a JSON text sequence (RFC 7464) is taken
    /// too. Blank lines are passed over.
    ///
    /// - Throws: `unacceptableStatus` at the first step, `decodingFailed`, `frameTooLarge` for a line above 1 MiB, and
    ///   what the transfer fails with.
    public func jsonLines<Value: Decodable>(of type: Value.Type) -> JSONValues<Chunks, Value> {
        JSONValues(
            chunks(accepting: "application/x-ndjson, application/jsonl, application/json-seq, */*;q=0.1"),
            .lines(), decoder: client.defaults.jsonDecoder)
    }

    /// The elements of the one JSON array that the response is, each decoded as it arrives.
    ///
    /// - Throws: `unacceptableStatus` at the first step, `decodingFailed` also when the array is none or ends early,
    ///   `frameTooLarge` for an element above 1 MiB, and what the transfer fails with.
    public func jsonArray<Value: Decodable>(of type: Value.Type) -> JSONValues<Chunks, Value> {
        JSONValues(
            chunks(accepting: "application/json"), .array(),
            decoder: client.defaults.jsonDecoder)
    }

    /// The frames of the response, each of which begins with its length.
    ///
    /// - Parameters:
    ///   - prefix: how a frame says its length.
    ///   - maximumBytes: the most that a frame may have; 1 MiB by default.
    /// - Throws: `unacceptableStatus` at the first step, `frameTooLarge`, `bodyTruncated` inside a frame, and what the
    ///   transfer fails with.
    public func frames(_ prefix: LengthPrefix, maximumBytes: Int = 1 << 20) -> LengthPrefixedFrames<Chunks> {
        LengthPrefixedFrames(chunks, prefix: prefix, maximumBytes: maximumBytes)
    }

    private var eventChunks: Chunks {
        let type = EventStreamParser.mediaType
        return Chunks(call: accepting(contentTypes: [type]), accept: type)
    }

    private func chunks(accepting types: String) -> Chunks { Chunks(call: self, accept: types) }
}

extension ResponseBody {
    /// The body's server-sent events; one above 1 MiB throws `frameTooLarge`.
    public var events: ServerSentEvents<ResponseBody> { ServerSentEvents(self) }

    /// The body's lines, each decoded as JSON; as ``Call/jsonLines(of:)``, with an own decoder and limit.
    public func jsonLines<Value: Decodable>(
        of type: Value.Type, maximumBytes: Int = 1 << 20,
        decoder: @escaping @Sendable () -> JSONDecoder = { JSONDecoder() }
    ) -> JSONValues<ResponseBody, Value> {
        JSONValues(self, .lines(maximumBytes: maximumBytes), decoder: decoder)
    }

    /// The elements of the one JSON array that the body is; as ``Call/jsonArray(of:)``, with an own decoder and limit.
    public func jsonArray<Value: Decodable>(
        of type: Value.Type, maximumBytes: Int = 1 << 20,
        decoder: @escaping @Sendable () -> JSONDecoder = { JSONDecoder() }
    ) -> JSONValues<ResponseBody, Value> {
        JSONValues(self, .array(maximumBytes: maximumBytes), decoder: decoder)
    }

    /// The data of the body's server-sent events, decoded; as ``Call/events(decoding:until:)``, with an own decoder and
    /// limit.
    public func events<Value: Decodable>(
        decoding type: Value.Type, until last: String? = nil, maximumBytes: Int = 1 << 20,
        decoder: @escaping @Sendable () -> JSONDecoder = { JSONDecoder() }
    ) -> JSONValues<ResponseBody, Value> {
        JSONValues(self, .events(until: last, maximumBytes: maximumBytes), decoder: decoder)
    }

    /// The body's frames, each of which begins with its length; as ``Call/frames(_:maximumBytes:)``.
    public func frames(_ prefix: LengthPrefix, maximumBytes: Int = 1 << 20) -> LengthPrefixedFrames<ResponseBody> {
        LengthPrefixedFrames(self, prefix: prefix, maximumBytes: maximumBytes)
    }
}

extension EventStreamParser {
    /// The media type of event streams.
    static let mediaType = "text/event-stream"
}
