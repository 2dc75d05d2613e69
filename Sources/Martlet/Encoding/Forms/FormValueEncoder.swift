// The three containers of the form encoder, and the encoder that hands them out. Each `encodeIfPresent` is written out, because the
// standard library's own skips nil, and what becomes of nil is a choice here.

/// The encoder that a value is given.
struct FormValueEncoder: Encoder {
    let place: FormEncodingPlace
    let slot: FormSlot

    var codingPath: [any CodingKey] { place.codingPath }
    var userInfo: [CodingUserInfoKey: Any] { [:] }

    func container<Key: CodingKey>(keyedBy type: Key.Type) -> KeyedEncodingContainer<Key> {
        KeyedEncodingContainer(FormKeyedContainer(object: object(), place: place))
    }

    func unkeyedContainer() -> any UnkeyedEncodingContainer {
        FormListContainer(list: list(), place: place)
    }

    func singleValueContainer() -> any SingleValueEncodingContainer {
        FormSingleContainer(slot: slot, place: place)
    }

    /// The object that the value is; the same one when it is asked for again, as a class and its superclass do.
    private func object() -> FormObject {
        let fresh = FormObject()
        guard place.isWithinDepth() else { return fresh }
        switch slot.value {
        case nil: slot.value = .keyed(fresh)
        case .keyed(let object): return object
        default: place.session.fail(codingPath, "The value encodes itself as an object and as something else.")
        }
        return fresh
    }

    private func list() -> FormList {
        let fresh = FormList()
        guard place.isWithinDepth() else { return fresh }
        switch slot.value {
        case nil: slot.value = .list(fresh)
        case .list(let list): return list
        default: place.session.fail(codingPath, "The value encodes itself as an array and as something else.")
        }
        return fresh
    }
}

/// Puts values under keys.
struct FormKeyedContainer<Key: CodingKey>: KeyedEncodingContainerProtocol {
    let object: FormObject
    let place: FormEncodingPlace

    var codingPath: [any CodingKey] { place.codingPath }

    func encodeNil(forKey key: Key) { object.set(key.stringValue, .null) }

    func encode(_ value: Bool, forKey key: Key) { object.set(key.stringValue, place.text(value)) }
    func encode(_ value: String, forKey key: Key) { object.set(key.stringValue, .text(value)) }
    func encode(_ value: Int, forKey key: Key) { object.set(key.stringValue, .text(String(value))) }
    func encode(_ value: Int8, forKey key: Key) { object.set(key.stringValue, .text(String(value))) }
    func encode(_ value: Int16, forKey key: Key) { object.set(key.stringValue, .text(String(value))) }
    func encode(_ value: Int32, forKey key: Key) { object.set(key.stringValue, .text(String(value))) }
    func encode(_ value: Int64, forKey key: Key) { object.set(key.stringValue, .text(String(value))) }
    func encode(_ value: UInt, forKey key: Key) { object.set(key.stringValue, .text(String(value))) }
    func encode(_ value: UInt8, forKey key: Key) { object.set(key.stringValue, .text(String(value))) }
    func encode(_ value: UInt16, forKey key: Key) { object.set(key.stringValue, .text(String(value))) }
    func encode(_ value: UInt32, forKey key: Key) { object.set(key.stringValue, .text(String(value))) }
    func encode(_ value: UInt64, forKey key: Key) { object.set(key.stringValue, .text(String(value))) }
    func encode(_ value: Int128, forKey key: Key) { object.set(key.stringValue, .text(String(value))) }
    func encode(_ value: UInt128, forKey key: Key) { object.set(key.stringValue, .text(String(value))) }
    func encode(_ value: Double, forKey key: Key) throws {
        object.set(key.stringValue, try place.below(key).text(value))
    }
    func encode(_ value: Float, forKey key: Key) throws {
        object.set(key.stringValue, try place.below(key).text(value))
    }

    func encode<Value: Encodable>(_ value: Value, forKey key: Key) throws {
        object.set(key.stringValue, try place.below(key).formValue(of: value))
    }

    func encodeIfPresent(_ value: Bool?, forKey key: Key) {
        if let value { encode(value, forKey: key) } else { encodeNil(forKey: key) }
    }

    func encodeIfPresent(_ value: String?, forKey key: Key) {
        if let value { encode(value, forKey: key) } else { encodeNil(forKey: key) }
    }

    func encodeIfPresent(_ value: Int?, forKey key: Key) {
        if let value { encode(value, forKey: key) } else { encodeNil(forKey: key) }
    }

    func encodeIfPresent(_ value: Int8?, forKey key: Key) {
        if let value { encode(value, forKey: key) } else { encodeNil(forKey: key) }
    }

    func encodeIfPresent(_ value: Int16?, forKey key: Key) {
        if let value { encode(value, forKey: key) } else { encodeNil(forKey: key) }
    }

    func encodeIfPresent(_ value: Int32?, forKey key: Key) {
        if let value { encode(value, forKey: key) } else { encodeNil(forKey: key) }
    }

    func encodeIfPresent(_ value: Int64?, forKey key: Key) {
        if let value { encode(value, forKey: key) } else { encodeNil(forKey: key) }
    }

    func encodeIfPresent(_ value: UInt?, forKey key: Key) {
        if let value { encode(value, forKey: key) } else { encodeNil(forKey: key) }
    }

    func encodeIfPresent(_ value: UInt8?, forKey key: Key) {
        if let value { encode(value, forKey: key) } else { encodeNil(forKey: key) }
    }

    func encodeIfPresent(_ value: UInt16?, forKey key: Key) {
        if let value { encode(value, forKey: key) } else { encodeNil(forKey: key) }
    }

    func encodeIfPresent(_ value: UInt32?, forKey key: Key) {
        if let value { encode(value, forKey: key) } else { encodeNil(forKey: key) }
    }

    func encodeIfPresent(_ value: UInt64?, forKey key: Key) {
        if let value { encode(value, forKey: key) } else { encodeNil(forKey: key) }
    }

    func encodeIfPresent(_ value: Int128?, forKey key: Key) {
        if let value { encode(value, forKey: key) } else { encodeNil(forKey: key) }
    }

    func encodeIfPresent(_ value: UInt128?, forKey key: Key) {
        if let value { encode(value, forKey: key) } else { encodeNil(forKey: key) }
    }

    func encodeIfPresent(_ value: Double?, forKey key: Key) throws {
        if let value { try encode(value, forKey: key) } else { encodeNil(forKey: key) }
    }

    func encodeIfPresent(_ value: Float?, forKey key: Key) throws {
        if let value { try encode(value, forKey: key) } else { encodeNil(forKey: key) }
    }

    func encodeIfPresent<Value: Encodable>(_ value: Value?, forKey key: Key) throws {
        if let value { try encode(value, forKey: key) } else { encodeNil(forKey: key) }
    }

    func nestedContainer<NestedKey: CodingKey>(
        keyedBy keyType: NestedKey.Type, forKey key: Key
    ) -> KeyedEncodingContainer<NestedKey> {
        nestedEncoder(forKey: key).container(keyedBy: keyType)
    }

    func nestedUnkeyedContainer(forKey key: Key) -> any UnkeyedEncodingContainer {
        nestedEncoder(forKey: key).unkeyedContainer()
    }

    /// The superclass writes its keys beside those of the class.
    func superEncoder() -> any Encoder {
        let slot = FormSlot()
        slot.value = .keyed(object)
        return FormValueEncoder(place: place, slot: slot)
    }

    func superEncoder(forKey key: Key) -> any Encoder { nestedEncoder(forKey: key) }

    private func nestedEncoder(forKey key: Key) -> FormValueEncoder {
        let below = place.below(key)
        // A container that was nested under this key before is gone on with.
        if case .slot(let slot) = object.value(key.stringValue) { return FormValueEncoder(place: below, slot: slot) }
        let slot = FormSlot()
        if below.isWithinDepth() { object.set(key.stringValue, .slot(slot)) }
        return FormValueEncoder(place: below, slot: slot)
    }
}

/// Puts values in a row.
struct FormListContainer: UnkeyedEncodingContainer {
    let list: FormList
    let place: FormEncodingPlace

    var codingPath: [any CodingKey] { place.codingPath }
    var count: Int { list.elements.count }

    func encodeNil() { list.elements.append(.null) }

    func encode(_ value: Bool) { list.elements.append(place.text(value)) }
    func encode(_ value: String) { list.elements.append(.text(value)) }
    func encode(_ value: Int) { list.elements.append(.text(String(value))) }
    func encode(_ value: Int8) { list.elements.append(.text(String(value))) }
    func encode(_ value: Int16) { list.elements.append(.text(String(value))) }
    func encode(_ value: Int32) { list.elements.append(.text(String(value))) }
    func encode(_ value: Int64) { list.elements.append(.text(String(value))) }
    func encode(_ value: UInt) { list.elements.append(.text(String(value))) }
    func encode(_ value: UInt8) { list.elements.append(.text(String(value))) }
    func encode(_ value: UInt16) { list.elements.append(.text(String(value))) }
    func encode(_ value: UInt32) { list.elements.append(.text(String(value))) }
    func encode(_ value: UInt64) { list.elements.append(.text(String(value))) }
    func encode(_ value: Int128) { list.elements.append(.text(String(value))) }
    func encode(_ value: UInt128) { list.elements.append(.text(String(value))) }
    func encode(_ value: Double) throws { list.elements.append(try next.text(value)) }
    func encode(_ value: Float) throws { list.elements.append(try next.text(value)) }

    func encode<Value: Encodable>(_ value: Value) throws {
        list.elements.append(try next.formValue(of: value))
    }

    func nestedContainer<NestedKey: CodingKey>(keyedBy keyType: NestedKey.Type) -> KeyedEncodingContainer<NestedKey> {
        nestedEncoder().container(keyedBy: keyType)
    }

    func nestedUnkeyedContainer() -> any UnkeyedEncodingContainer { nestedEncoder().unkeyedContainer() }

    func superEncoder() -> any Encoder { nestedEncoder() }

    private var next: FormEncodingPlace { place.below(FormKey(intValue: count)) }

    private func nestedEncoder() -> FormValueEncoder {
        let below = next
        let slot = FormSlot()
        if below.isWithinDepth() { list.elements.append(.slot(slot)) }
        return FormValueEncoder(place: below, slot: slot)
    }
}

/// Puts one value.
struct FormSingleContainer: SingleValueEncodingContainer {
    let slot: FormSlot
    let place: FormEncodingPlace

    var codingPath: [any CodingKey] { place.codingPath }

    private func put(_ value: FormValue) {
        if slot.value == nil {
            slot.value = value
        } else {
            place.session.fail(codingPath, "The value encodes itself more than once.")
        }
    }

    func encodeNil() { put(.null) }

    func encode(_ value: Bool) { put(place.text(value)) }
    func encode(_ value: String) { put(.text(value)) }
    func encode(_ value: Int) { put(.text(String(value))) }
    func encode(_ value: Int8) { put(.text(String(value))) }
    func encode(_ value: Int16) { put(.text(String(value))) }
    func encode(_ value: Int32) { put(.text(String(value))) }
    func encode(_ value: Int64) { put(.text(String(value))) }
    func encode(_ value: UInt) { put(.text(String(value))) }
    func encode(_ value: UInt8) { put(.text(String(value))) }
    func encode(_ value: UInt16) { put(.text(String(value))) }
    func encode(_ value: UInt32) { put(.text(String(value))) }
    func encode(_ value: UInt64) { put(.text(String(value))) }
    func encode(_ value: Int128) { put(.text(String(value))) }
    func encode(_ value: UInt128) { put(.text(String(value))) }
    func encode(_ value: Double) throws { put(try place.text(value)) }
    func encode(_ value: Float) throws { put(try place.text(value)) }

    func encode<Value: Encodable>(_ value: Value) throws { put(try place.formValue(of: value)) }
}
