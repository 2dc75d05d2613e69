// A form as browsers send it (WHATWG URL, application/x-www-form-urlencoded): a space is `+`, all but letters, digits and
// `*-._` is percent-encoded UTF-8.

/// Writes forms.
enum FormText {
    static func encode(_ members: [BodyMember]) -> String {
        members.map { "\(encode($0.name))=\(encode($0.text))" }.joined(separator: "&")
    }

    private static func encode(_ text: String) -> String {
        text.utf8.reduce(into: "") { result, byte in
            switch byte {
            case UInt8(ascii: " "): result += "+"
            case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
                UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "*"), UInt8(ascii: "-"), UInt8(ascii: "."),
                UInt8(ascii: "_"):
                result.unicodeScalars.append(Unicode.Scalar(byte))
            default: result += (byte < 16 ? "%0" : "%") + String(byte, radix: 16, uppercase: true)
            }
        }
    }
}
