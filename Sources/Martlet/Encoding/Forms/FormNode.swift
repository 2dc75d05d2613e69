// A form as a tree of names. Indexes are names like others, so that `a[999999999]=1` costs what it weighs; values are kept as they
// stand there, for only who asks for one knows whether a comma separates.

final class FormNode {
    /// The values of the name itself; nil for one without an equals sign.
    private(set) var values: [FormText.Raw?] = []
    private(set) var children: [(name: String, node: FormNode)] = []
    private var places: [String: Int] = [:]
    /// What stands in empty brackets, in its order.
    private(set) var elements: [FormNode] = []

    private static let maximumSteps = URLEncodedFormDecoder.maximumDepth

    private enum Step {
        case name(String)
        case next
    }

    init() {}

    /// A leaf.
    init(value: FormText.Raw?) { values = [value] }

    /// Reads form text.
    init(reading text: String, by rules: URLEncodedFormDecoder) throws {
        let items = FormText.items(of: text, limit: max(0, rules.maximumFields))
        guard items.count <= rules.maximumFields else {
            throw FormText.corrupt("The form has more than \(rules.maximumFields) fields.")
        }
        for item in items {
            let path = Self.path(of: try FormText.decode(item.name), rules.keyPaths)
            guard path.count <= Self.maximumSteps else {
                throw FormText.corrupt("A name of the form is nested too deeply.")
            }
            put(item.value, path[...])
        }
    }

    /// The node of a child.
    func child(_ name: String) -> FormNode? { places[name].map { children[$0].node } }

    /// Whether there is nothing but values.
    var isLeaf: Bool { children.isEmpty && elements.isEmpty }

    // MARK: Names

    /// A name that brackets do not divide properly is taken as a whole. One that is too deep is not taken apart to its end.
    private static func path(of name: String, _ keyPaths: URLEncodedFormDecoder.KeyPathDecoding) -> [Step] {
        guard let first = name.utf8.firstIndex(of: UInt8(ascii: "[")), first > name.startIndex else {
            return base(of: name[...], keyPaths)
        }
        var groups: [Step] = []
        var rest = name[first...]
        while !rest.isEmpty, groups.count <= maximumSteps {
            guard rest.utf8.first == UInt8(ascii: "["), let close = rest.utf8.firstIndex(of: UInt8(ascii: "]")) else {
                // With dots more names may follow an index.
                guard case .dots = keyPaths, rest.utf8.first == UInt8(ascii: ".") else { return [.name(name)] }
                let end = rest.utf8.firstIndex(of: UInt8(ascii: "[")) ?? rest.endIndex
                groups += base(of: rest.dropFirst()[..<end], keyPaths)
                rest = rest[end...]
                continue
            }
            let inside = rest[rest.utf8.index(after: rest.startIndex)..<close]
            if inside.utf8.contains(UInt8(ascii: "[")) { return [.name(name)] }
            groups.append(inside.isEmpty ? .next : .name(String(inside)))
            rest = rest[rest.utf8.index(after: close)...]
        }
        return base(of: name[..<first], keyPaths) + groups
    }

    private static func base(of name: Substring, _ keyPaths: URLEncodedFormDecoder.KeyPathDecoding) -> [Step] {
        guard case .dots = keyPaths else { return [.name(String(name))] }
        return name.split(separator: ".", maxSplits: maximumSteps, omittingEmptySubsequences: false).map {
            .name(String($0))
        }
    }

    private func put(_ value: FormText.Raw?, _ path: ArraySlice<Step>) {
        var node = self
        for index in path.indices {
            switch path[index] {
            case .name(let name): node = node.childMade(name)
            case .next: node = node.elementMade(for: path[(index + 1)...])
            }
        }
        node.values.append(value)
    }

    private func childMade(_ name: String) -> FormNode {
        if let child = child(name) { return child }
        let child = FormNode()
        places[name] = children.count
        children.append((name, child))
        return child
    }

    /// The last element when it has room for what comes next, else a new one.
    private func elementMade(for rest: ArraySlice<Step>) -> FormNode {
        if !rest.isEmpty, let last = elements.last, !last.holds(rest) { return last }
        let element = FormNode()
        elements.append(element)
        return element
    }

    private func holds(_ path: ArraySlice<Step>) -> Bool {
        var node = self
        for step in path {
            guard case .name(let name) = step, let child = node.child(name) else { return false }
            node = child
        }
        return !node.values.isEmpty
    }

    // MARK: As an array

    /// The nodes of an array: what stands in empty brackets, else what has indexes for names, in their order, else each value.
    func list(splittingAtCommas: Bool) -> [FormNode]? {
        if !elements.isEmpty { return elements }
        if !children.isEmpty {
            var indexed: [(index: Int, node: FormNode)] = []
            for child in children {
                guard let index = Int(child.name), index >= 0 else { return nil }
                indexed.append((index, child.node))
            }
            return indexed.sorted { $0.index < $1.index }.map(\.node)
        }
        if splittingAtCommas, values.count == 1, let value = values[0] {
            return value.split(separator: UInt8(ascii: ","), omittingEmptySubsequences: false).map {
                FormNode(value: $0)
            }
        }
        return values.map { FormNode(value: $0) }
    }
}
