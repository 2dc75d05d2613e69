// A large value behind a reference, for what is handed on far more often than it is changed.

/// A value that is copied by a retain, whatever its size; changing it makes it anew.
@propertyWrapper
struct Boxed<Value: Sendable>: Sendable {
    private final class Box: Sendable {
        let value: Value

        init(_ value: Value) { self.value = value }
    }

    private var box: Box

    init(wrappedValue: Value) { box = Box(wrappedValue) }

    var wrappedValue: Value {
        get { box.value }
        set { box = Box(newValue) }
    }
}
