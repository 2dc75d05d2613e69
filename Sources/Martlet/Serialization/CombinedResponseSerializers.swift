// Serializers made of others: for bodies that may be missing, that come in one of several forms, or that need work before or after.

public import Foundation

/// Gives nil for an empty body, whatever the status, and else what another serializer makes.
public struct OptionalResponseSerializer<Base: ResponseSerializer>: ResponseSerializer {
    private let base: Base

    /// Makes a serializer.
    public init(_ base: Base) { self.base = base }

    /// What the other asks for.
    public var accept: String { base.accept }

    /// What the other says.
    public var usesBody: Bool { base.usesBody }

    /// The value; nil when the body is empty, or when the other serializer finds nothing in it.
    public func serialize(_ response: Response<Data>, in context: SerializationContext) throws -> Base.Value? {
        if response.body.isEmpty { return nil }
        do {
            return try base.serialize(response, in: context)
        } catch let error as MartletError where error.code == .emptyBody {
            return nil
        }
    }
}

/// Tries one serializer, and where it fails another.
public struct FirstResponseSerializer<First: ResponseSerializer, Second: ResponseSerializer>: ResponseSerializer
where First.Value == Second.Value {
    private let first: First
    private let second: Second

    /// Makes a serializer.
    public init(_ first: First, _ second: Second) {
        self.first = first
        self.second = second
    }

    /// What both ask for.
    public var accept: String {
        first.accept == second.accept || second.accept == "*/*" ? first.accept : "\(first.accept), \(second.accept)"
    }

    /// True when one of them wants the body.
    public var usesBody: Bool { first.usesBody || second.usesBody }

    /// What the first one makes that does not fail; the first one's error when both do.
    public func serialize(_ response: Response<Data>, in context: SerializationContext) throws -> First.Value {
        do {
            return try first.serialize(response, in: context)
        } catch {
            if let value = try? second.serialize(response, in: context) { return value }
            throw error
        }
    }
}

/// Gives a value made of another's.
public struct MapResponseSerializer<Base: ResponseSerializer, Value>: ResponseSerializer {
    private let base: Base
    private let transform: @Sendable (Base.Value) throws -> Value

    /// Makes a serializer.
    public init(_ base: Base, _ transform: @escaping @Sendable (Base.Value) throws -> Value) {
        self.base = base
        self.transform = transform
    }

    /// What the other asks for.
    public var accept: String { base.accept }

    /// What the other says.
    public var usesBody: Bool { base.usesBody }

    /// The value.
    public func serialize(_ response: Response<Data>, in context: SerializationContext) throws -> Value {
        try transform(try base.serialize(response, in: context))
    }
}

/// Changes bodies before another serializer gets them.
public struct PreprocessedResponseSerializer<Base: ResponseSerializer>: ResponseSerializer {
    private let base: Base
    private let preprocessor: BodyPreprocessor

    /// Makes a serializer.
    public init(_ base: Base, by preprocessor: BodyPreprocessor) {
        self.base = base
        self.preprocessor = preprocessor
    }

    /// What the other asks for.
    public var accept: String { base.accept }

    /// What the other says.
    public var usesBody: Bool { base.usesBody }

    /// The value.
    public func serialize(_ response: Response<Data>, in context: SerializationContext) throws -> Base.Value {
        var changed = response
        changed.body = try preprocessor.process(response.body)
        return try base.serialize(changed, in: context)
    }
}

/// What is done to a body before it is read.
public struct BodyPreprocessor: Sendable {
    let process: @Sendable (Data) throws -> Data

    /// Makes a preprocessor. What it throws is the cause of the call's `decodingFailed`.
    public init(_ process: @escaping @Sendable (Data) throws -> Data) { self.process = process }

    /// Drops some bytes from the start of bodies that begin with them.
    public static func dropping(prefix: String) -> BodyPreprocessor {
        let prefix = Data(prefix.utf8)
        return BodyPreprocessor { $0.starts(with: prefix) ? Data($0.dropFirst(prefix.count)) : $0 }
    }

    /// Drops the line `)]}',` with which some servers keep their JSON from being run as a script.
    public static let droppingXSSIPrefix = dropping(prefix: ")]}',\n")
}
