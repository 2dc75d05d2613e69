// JSON made of items: text in, text out, so that numbers stay as they were typed and members in their order.

/// Writes JSON.
enum JSONText {
    /// The object that items make. Of a name given twice the later value counts, in the place of the first.
    static func object(_ members: [BodyMember]) -> String {
        var values: [String: String] = [:]
        var names: [String] = []
        for member in members {
            if values[member.name] == nil { names.append(member.name) }
            values[member.name] = member.isJSON ? member.text : string(member.text)
        }
        return "{" + names.map { "\(string($0)): \(values[$0] ?? "null")" }.joined(separator: ", ") + "}"
    }

    /// A text as a JSON string.
    static func string(_ text: String) -> String {
        var result = "\""
        for scalar in text.unicodeScalars {
            switch scalar {
            case "\"": result += "\\\""
            case "\\": result += "\\\\"
            case "\n": result += "\\n"
            case "\r": result += "\\r"
            case "\t": result += "\\t"
            case "\u{0}"..<"\u{20}":
                let digits = String(scalar.value, radix: 16)
                result += "\\u" + String(repeating: "0", count: 4 - digits.count) + digits
            default: result.unicodeScalars.append(scalar)
            }
        }
        return result + "\""
    }
}
