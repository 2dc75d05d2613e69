// The items behind the URL, as in httpie: what stands between name and value says where they go. The first separator counts,
// the longer one where two begin; a backslash before a character takes its meaning away.

import Martlet

/// A name and a text.
struct NamedText: Equatable, Sendable {
    let name: String
    let text: String

    init(_ name: String, _ text: String) { (self.name, self.text) = (name, text) }
}

/// A part of a body made of items.
struct BodyMember: Equatable, Sendable {
    let name: String
    let text: String
    /// Whether the text is JSON rather than a string.
    var isJSON = false
}

/// An item behind the URL.
enum RequestItem: Equatable, Sendable {
    /// `name=text` or `name:=json`.
    case member(BodyMember)
    /// `name==text`.
    case query(NamedText)
    /// `Name:text`.
    case header(HTTPHeaders.Field)
    /// `@FILE` or `@-`.
    case body(BodySource)

    /// Reads an argument.
    init(_ argument: String) throws(ToolFailure) {
        if argument.hasPrefix("@") {
            self = .body(try BodySource(reference: String(argument.dropFirst()), from: "An item"))
            return
        }
        var name = ""
        var rest = argument[...]
        while let character = rest.first, character != "=", character != ":" {
            rest.removeFirst()
            if character == "\\", let next = rest.popFirst() { name.append(next) } else { name.append(character) }
        }
        let separator = [":=", "==", "=", ":"].first { rest.hasPrefix($0) }
        guard let separator else {
            throw .usage(
                "\(quoted(argument)) is no item: those are name=text, name:=json, name==query, Name:header and @FILE.")
        }
        let text = String(rest.dropFirst(separator.count))
        guard !name.isEmpty else { throw .usage("An item has no name before its \(separator).") }
        switch separator {
        case ":=":
            guard JSONGrammar.fault(in: text) == nil else {
                throw .usage("What follows \(name):= is not JSON; a string is written \(name)=text.")
            }
            self = .member(BodyMember(name: name, text: text, isJSON: true))
        case "==": self = .query(NamedText(name, text))
        case "=": self = .member(BodyMember(name: name, text: text))
        default: self = .header(try ArgumentValue.header(name, text, from: "An item Name:text is a header, and"))
        }
    }
}

/// Where a body is read from.
enum BodySource: Equatable, Sendable {
    case text(String)
    case file(String)
    case standardInput

    /// Reads what stands behind an `@`.
    init(reference: String, from option: String) throws(ToolFailure) {
        guard !reference.isEmpty else { throw .usage("\(option) has no file behind its @.") }
        self = reference == "-" ? .standardInput : .file(reference)
    }
}
