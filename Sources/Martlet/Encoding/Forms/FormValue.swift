// What an encoder was given, as a tree: plain values are texts already, names are not joined and nothing is escaped. The depth of
// the tree is bounded while it is built, because taking it down is recursive.

/// A value on its way into a form.
enum FormValue {
    case text(String)
    case null
    case keyed(FormObject)
    case list(FormList)
    /// The place of an encoder that was handed out, whatever it will have been given in the end.
    case slot(FormSlot)

    /// The value without the slots around it: an encoder that was given nothing stands for an empty object.
    var resolved: FormValue {
        guard case .slot(let slot) = self else { return self }
        return slot.value ?? .keyed(FormObject())
    }
}

/// Names and values, in the order in which they were first set.
final class FormObject {
    private(set) var entries: [(name: String, value: FormValue)] = []
    // Made when a linear search would cost more.
    private var places: [String: Int] = [:]

    /// Sets a value; a second one of the same name takes the place of the first, as in JSON.
    func set(_ name: String, _ value: FormValue) {
        if let place = place(of: name) {
            entries[place].value = value
        } else {
            append(name, value)
        }
    }

    /// Adds a value, whether or not there is one of that name.
    func append(_ name: String, _ value: FormValue) {
        entries.append((name, value))
        if entries.count > 8 { places[name] = entries.count - 1 }
    }

    /// The value of a name.
    func value(_ name: String) -> FormValue? { place(of: name).map { entries[$0].value } }

    private func place(of name: String) -> Int? {
        if let place = places[name] { return place }
        return entries.prefix(8).firstIndex { $0.name == name }
    }
}

/// Values in their order.
final class FormList {
    var elements: [FormValue] = []
}

/// Where one encoder puts what it is given.
final class FormSlot {
    var value: FormValue?
}
