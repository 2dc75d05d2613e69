// The three containers of the form decoder, and the decoder that hands them out.

/// The decoder that a value is made from.
struct FormNodeDecoder: Decoder {
    let place: FormDecodingPlace

    var codingPath: [any CodingKey] { place.codingPath }
    var userInfo: [CodingUserInfoKey: Any] { [:] }

    func container<Key: CodingKey>(keyedBy type: Key.Type) throws -> KeyedDecodingContainer<Key> {
        if let node = place.node, node.isLeaf, !node.values.isEmpty { throw mismatch([String: String].self, "names") }
        return KeyedDecodingContainer(FormNodeKeyedContainer(place: place))
    }

    func unkeyedContainer() throws -> any UnkeyedDecodingContainer {
        guard let node = place.node else { return FormNodeListContainer(place: place, nodes: []) }
        guard let nodes = node.list(splittingAtCommas: place.rules.splitsAtCommas) else {
            throw mismatch([String].self, "elements")
        }
        return FormNodeListContainer(place: place, nodes: nodes)
    }

    func singleValueContainer() -> any SingleValueDecodingContainer { FormNodeSingleContainer(place: place) }

    private func mismatch(_ type: any Any.Type, _ what: String) -> DecodingError {
        DecodingError.typeMismatch(
            type,
            DecodingError.Context(codingPath: codingPath, debugDescription: "The form has no \(what) there."))
    }
}

/// Gives values by their keys.
struct FormNodeKeyedContainer<Key: CodingKey>: KeyedDecodingContainerProtocol {
    let place: FormDecodingPlace

    var codingPath: [any CodingKey] { place.codingPath }

    var allKeys: [Key] {
        place.node?.children.compactMap {
            Key(stringValue: $0.name) ?? Key(stringValue: place.rules.keys.key($0.name))
        } ?? []
    }

    private func node(_ key: Key) -> FormNode? {
        place.node?.child(place.rules.keys.name(key.stringValue)) ?? place.node?.child(key.stringValue)
    }

    private func below(_ key: Key) -> FormDecodingPlace { place.below(key, node(key)) }

    func contains(_ key: Key) -> Bool { node(key) != nil }

    func decodeNil(forKey key: Key) -> Bool { below(key).isNil }

    func decode(_ type: Bool.Type, forKey key: Key) throws -> Bool { try below(key).decode(type) }
    func decode(_ type: String.Type, forKey key: Key) throws -> String { try below(key).text() }
    func decode(_ type: Int.Type, forKey key: Key) throws -> Int { try below(key).decode(integer: type) }
    func decode(_ type: Int8.Type, forKey key: Key) throws -> Int8 { try below(key).decode(integer: type) }
    func decode(_ type: Int16.Type, forKey key: Key) throws -> Int16 { try below(key).decode(integer: type) }
    func decode(_ type: Int32.Type, forKey key: Key) throws -> Int32 { try below(key).decode(integer: type) }
    func decode(_ type: Int64.Type, forKey key: Key) throws -> Int64 { try below(key).decode(integer: type) }
    func decode(_ type: UInt.Type, forKey key: Key) throws -> UInt { try below(key).decode(integer: type) }
    func decode(_ type: UInt8.Type, forKey key: Key) throws -> UInt8 { try below(key).decode(integer: type) }
    func decode(_ type: UInt16.Type, forKey key: Key) throws -> UInt16 { try below(key).decode(integer: type) }
    func decode(_ type: UInt32.Type, forKey key: Key) throws -> UInt32 { try below(key).decode(integer: type) }
    func decode(_ type: UInt64.Type, forKey key: Key) throws -> UInt64 { try below(key).decode(integer: type) }
    func decode(_ type: Int128.Type, forKey key: Key) throws -> Int128 { try below(key).decode(integer: type) }
    func decode(_ type: UInt128.Type, forKey key: Key) throws -> UInt128 { try below(key).decode(integer: type) }
    func decode(_ type: Double.Type, forKey key: Key) throws -> Double { try below(key).decode(float: type) }
    func decode(_ type: Float.Type, forKey key: Key) throws -> Float { try below(key).decode(float: type) }

    func decode<Value: Decodable>(_ type: Value.Type, forKey key: Key) throws -> Value {
        try below(key).decode(type)
    }

    func nestedContainer<NestedKey: CodingKey>(
        keyedBy type: NestedKey.Type, forKey key: Key
    ) throws -> KeyedDecodingContainer<NestedKey> {
        try FormNodeDecoder(place: below(key)).container(keyedBy: type)
    }

    func nestedUnkeyedContainer(forKey key: Key) throws -> any UnkeyedDecodingContainer {
        try FormNodeDecoder(place: below(key)).unkeyedContainer()
    }

    /// The superclass has its names beside those of the class.
    func superDecoder() -> any Decoder { FormNodeDecoder(place: place) }

    func superDecoder(forKey key: Key) -> any Decoder { FormNodeDecoder(place: below(key)) }
}

/// Gives values in a row.
struct FormNodeListContainer: UnkeyedDecodingContainer {
    let place: FormDecodingPlace
    let nodes: [FormNode]
    private(set) var currentIndex = 0

    init(place: FormDecodingPlace, nodes: [FormNode]) {
        self.place = place
        self.nodes = nodes
    }

    var codingPath: [any CodingKey] { place.codingPath }
    var count: Int? { nodes.count }
    var isAtEnd: Bool { currentIndex >= nodes.count }

    /// The place of the next element, which `read` takes when it does not throw.
    private mutating func taking<Result>(_ read: (FormDecodingPlace) throws -> Result) throws -> Result {
        guard currentIndex < nodes.count else {
            throw DecodingError.valueNotFound(
                Result.self,
                DecodingError.Context(
                    codingPath: codingPath + [FormKey(intValue: currentIndex)],
                    debugDescription: "The array of the form has no more elements."))
        }
        let result = try read(place.below(FormKey(intValue: currentIndex), nodes[currentIndex]))
        currentIndex += 1
        return result
    }

    mutating func decodeNil() throws -> Bool {
        guard currentIndex < nodes.count else { return false }
        let isNil = place.below(FormKey(intValue: currentIndex), nodes[currentIndex]).isNil
        if isNil { currentIndex += 1 }
        return isNil
    }

    mutating func decode(_ type: Bool.Type) throws -> Bool { try taking { try $0.decode(type) } }
    mutating func decode(_ type: String.Type) throws -> String { try taking { try $0.text() } }
    mutating func decode(_ type: Int.Type) throws -> Int { try taking { try $0.decode(integer: type) } }
    mutating func decode(_ type: Int8.Type) throws -> Int8 { try taking { try $0.decode(integer: type) } }
    mutating func decode(_ type: Int16.Type) throws -> Int16 { try taking { try $0.decode(integer: type) } }
    mutating func decode(_ type: Int32.Type) throws -> Int32 { try taking { try $0.decode(integer: type) } }
    mutating func decode(_ type: Int64.Type) throws -> Int64 { try taking { try $0.decode(integer: type) } }
    mutating func decode(_ type: UInt.Type) throws -> UInt { try taking { try $0.decode(integer: type) } }
    mutating func decode(_ type: UInt8.Type) throws -> UInt8 { try taking { try $0.decode(integer: type) } }
    mutating func decode(_ type: UInt16.Type) throws -> UInt16 { try taking { try $0.decode(integer: type) } }
    mutating func decode(_ type: UInt32.Type) throws -> UInt32 { try taking { try $0.decode(integer: type) } }
    mutating func decode(_ type: UInt64.Type) throws -> UInt64 { try taking { try $0.decode(integer: type) } }
    mutating func decode(_ type: Int128.Type) throws -> Int128 { try taking { try $0.decode(integer: type) } }
    mutating func decode(_ type: UInt128.Type) throws -> UInt128 { try taking { try $0.decode(integer: type) } }
    mutating func decode(_ type: Double.Type) throws -> Double { try taking { try $0.decode(float: type) } }
    mutating func decode(_ type: Float.Type) throws -> Float { try taking { try $0.decode(float: type) } }

    mutating func decode<Value: Decodable>(_ type: Value.Type) throws -> Value {
        try taking { try $0.decode(type) }
    }

    mutating func nestedContainer<NestedKey: CodingKey>(
        keyedBy type: NestedKey.Type
    ) throws -> KeyedDecodingContainer<NestedKey> {
        try taking { try FormNodeDecoder(place: $0).container(keyedBy: type) }
    }

    mutating func nestedUnkeyedContainer() throws -> any UnkeyedDecodingContainer {
        try taking { try FormNodeDecoder(place: $0).unkeyedContainer() }
    }

    mutating func superDecoder() throws -> any Decoder { try taking { FormNodeDecoder(place: $0) } }
}

/// Gives one value.
struct FormNodeSingleContainer: SingleValueDecodingContainer {
    let place: FormDecodingPlace

    var codingPath: [any CodingKey] { place.codingPath }

    func decodeNil() -> Bool { place.isNil }

    func decode(_ type: Bool.Type) throws -> Bool { try place.decode(type) }
    func decode(_ type: String.Type) throws -> String { try place.text() }
    func decode(_ type: Int.Type) throws -> Int { try place.decode(integer: type) }
    func decode(_ type: Int8.Type) throws -> Int8 { try place.decode(integer: type) }
    func decode(_ type: Int16.Type) throws -> Int16 { try place.decode(integer: type) }
    func decode(_ type: Int32.Type) throws -> Int32 { try place.decode(integer: type) }
    func decode(_ type: Int64.Type) throws -> Int64 { try place.decode(integer: type) }
    func decode(_ type: UInt.Type) throws -> UInt { try place.decode(integer: type) }
    func decode(_ type: UInt8.Type) throws -> UInt8 { try place.decode(integer: type) }
    func decode(_ type: UInt16.Type) throws -> UInt16 { try place.decode(integer: type) }
    func decode(_ type: UInt32.Type) throws -> UInt32 { try place.decode(integer: type) }
    func decode(_ type: UInt64.Type) throws -> UInt64 { try place.decode(integer: type) }
    func decode(_ type: Int128.Type) throws -> Int128 { try place.decode(integer: type) }
    func decode(_ type: UInt128.Type) throws -> UInt128 { try place.decode(integer: type) }
    func decode(_ type: Double.Type) throws -> Double { try place.decode(float: type) }
    func decode(_ type: Float.Type) throws -> Float { try place.decode(float: type) }

    func decode<Value: Decodable>(_ type: Value.Type) throws -> Value { try place.decode(type) }
}
