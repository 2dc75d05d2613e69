// Whether a body is to be shown or saved, and under which name (RFC 6266, with RFC 8187 for names beyond ASCII; RFC 7578 in forms). A
// name comes from the peer: as a path it would lead wherever the peer likes.

/// The value of a `Content-Disposition` field.
public struct ContentDisposition: Hashable, Sendable {
    /// The kind, in small letters: `attachment`, `inline`, `form-data`.
    public let type: String
    /// The parameters, in order.
    public let parameters: [FieldParameter]

    /// Reads the value of a field; nil when it does not begin with a kind.
    public init?(_ text: String) {
        let read = HeaderParameters(text)
        guard HTTPSyntax.isToken(read.value) else { return nil }
        type = read.value
        parameters = read.parameters
    }

    /// Whether the body is to be saved rather than shown: all kinds but `inline` (RFC 6266, section 4.2).
    public var isAttachment: Bool { type != "inline" }

    /// The name of a form's part.
    public var name: String? { parameters.value(of: "name") }

    /// The file name as the peer wrote it, `filename*` before `filename`: never to be used as a path.
    public var filename: String? {
        parameters.value(of: "filename*").flatMap(ExtendedValue.decode) ?? parameters.value(of: "filename")
    }

    /// The file name made fit to be one in a folder of one's choice; nil when nothing of it is left.
    ///
    /// It has no folders, no control characters, none that change the direction of writing, no dots or spaces at its ends, and at most
    /// 255 bytes, its extension kept.
    public var safeFilename: String? { filename.flatMap(Self.safe) }

    static func safe(_ name: String) -> String? {
        let last = name.split(omittingEmptySubsequences: false) { $0 == "/" || $0 == "\\" }.last ?? ""
        var scalars = last.unicodeScalars.filter(isFit)[...]
        while let first = scalars.first, isEdge(first) { scalars.removeFirst() }
        while let end = scalars.last, isEdge(end) { scalars.removeLast() }
        return scalars.isEmpty ? nil : shortened(String(String.UnicodeScalarView(scalars)))
    }

    private static let longest = 255

    private static func isEdge(_ scalar: Unicode.Scalar) -> Bool { scalar == "." || scalar == " " }

    private static func isFit(_ scalar: Unicode.Scalar) -> Bool {
        switch scalar.properties.generalCategory {
        // Formats are what hides or turns what is read: joiners, marks of direction.
        case .control, .format, .lineSeparator, .paragraphSeparator, .surrogate: false
        default: true
        }
    }

    /// The name in as many bytes as file systems take.
    private static func shortened(_ name: String) -> String {
        guard name.utf8.count > longest else { return name }
        var end = ""
        if let dot = name.lastIndex(of: "."), name[dot...].utf8.count <= 16 { end = String(name[dot...]) }
        var scalars: String.UnicodeScalarView = "".unicodeScalars
        var count = end.utf8.count
        for scalar in name.unicodeScalars {
            count += UTF8.width(scalar)
            guard count <= longest else { break }
            scalars.append(scalar)
        }
        return String(scalars) + end
    }
}

extension ContentDisposition: CustomStringConvertible {
    /// The value as it is written.
    public var description: String { parameters.written(behind: type) }
}

extension HTTPHeaders {
    /// The `Content-Disposition`, read; nil when there is none that can be read.
    public var disposition: ContentDisposition? { contentDisposition.flatMap { ContentDisposition($0) } }
}
