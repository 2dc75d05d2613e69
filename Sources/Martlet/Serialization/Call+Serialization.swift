// The one way from a call to a value: send, accept by the head, collect, serialize. All decoding terminals go it.

public import Foundation

extension Call {
    /// Sends the call and returns the value that a serializer makes of the response.
    ///
    /// ```swift
    /// let user = try await client.get("/users/1").serialized(by: .json(User.self))
    /// ```
    ///
    /// - Throws: what ``data()`` throws, and `decodingFailed` with what the serializer threw.
    public nonisolated(nonsending) func serialized<Serializer: ResponseSerializer>(
        by serializer: Serializer
    ) async throws -> Serializer.Value {
        try await serializedResponse(by: serializer).body
    }

    /// Sends the call and returns the response with the value that a serializer makes of it as its body.
    ///
    /// - Throws: what ``data()`` throws, and `decodingFailed` with what the serializer threw.
    public nonisolated(nonsending) func serializedResponse<Serializer: ResponseSerializer>(
        by serializer: Serializer
    ) async throws -> Response<Serializer.Value> {
        let response: Response<Data>
        if serializer.usesBody {
            response = try await accepted(serializer.accept)
        } else {
            let stream = try await acceptedStream(serializer.accept)
            for try await _ in stream.body {}
            response = finished(stream, Data())
        }
        do {
            return try response.map { _ in try serializer.serialize(response, in: serializationContext) }
        } catch {
            throw unserializable(response, error)
        }
    }
}

extension Response where Body == Data {
    /// The value that a serializer makes of the response, whatever its status.
    ///
    /// ```swift
    /// let response = try await client.get("/users/1").response()
    /// let user = response.status == .notFound ? nil : try response.serialized(by: .json(User.self))
    /// ```
    ///
    /// - Throws: what the serializer throws.
    public func serialized<Serializer: ResponseSerializer>(
        by serializer: Serializer, in context: SerializationContext = SerializationContext()
    ) throws -> Serializer.Value {
        do {
            return try serializer.serialize(self, in: context)
        } catch let error as MartletError {
            throw error.namingCoding(of: headers)
        }
    }
}
