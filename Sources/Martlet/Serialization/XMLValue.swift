// An XML document as a value (XML 1.0, fifth edition). FoundationXML is no way to one: on Linux both of its parsers end the
// process on some bodies, and a body is a stranger's. Entities are those that XML itself has, for there are no declarations.

public import Foundation

/// An element of an XML document: its name, its attributes, and what is in it.
///
/// ```swift
/// let feed = try await client.get("/feed.xml").serialized(by: .xml)
/// let title = feed["channel"]?["title"]?.text
/// let links = feed["channel"]?.elements("item").compactMap { $0["link"]?.text }
/// ```
public struct XMLValue: Sendable, Hashable {
    /// A piece of what is in an element.
    public enum Piece: Sendable, Hashable {
        /// An element.
        case element(XMLValue)
        /// Text, never empty; white space between elements is text too. Comments and instructions are left out.
        case text(String)
    }

    /// The name as it is written, with its prefix if it has one: `soap:Body`.
    public var name: String
    /// The attributes, by their names as they are written.
    public var attributes: [String: String]
    /// What is in the element, in order.
    public var content: [Piece]

    /// How deeply elements may be nested; 512.
    public static let maximumDepth = 512

    /// Makes an element.
    public init(_ name: String, attributes: [String: String] = [:], content: [Piece] = []) {
        self.name = name
        self.attributes = attributes
        self.content = content
    }

    /// Reads a document, which must be well-formed, and gives its root.
    ///
    /// The encoding is that of `contentType`, else that of the byte-order mark, of the XML declaration, and UTF-8. A document
    /// type declaration is refused: entities that it declares can make a gigabyte of a line, or read files.
    ///
    /// - Throws: `decodingFailed`, which names the line.
    public init(parsing data: Data, contentType: String? = nil) throws(MartletError) {
        let text = try TextEncoding.decode(
            data, contentType: contentType, default: try XMLReader.declaredEncoding(of: data) ?? .utf8)
        var reader = XMLReader(text)
        self = try reader.document()
    }
}

extension XMLValue {
    /// The name without its prefix.
    public var localName: Substring { name.split(separator: ":", maxSplits: 1).last ?? "" }

    /// All text in the element and in those in it, in order.
    public var text: String {
        var text = ""
        append(to: &text)
        return text
    }

    private func append(to text: inout String) {
        for piece in content {
            switch piece {
            case .element(let element): element.append(to: &text)
            case .text(let piece): text += piece
            }
        }
    }

    /// The elements in the element, not those in these.
    public var elements: [XMLValue] {
        content.compactMap { if case .element(let element) = $0 { element } else { nil } }
    }

    /// The elements of a name in the element; a name without a prefix finds those with any.
    public func elements(_ name: String) -> [XMLValue] { elements.filter { $0.isNamed(name) } }

    /// The first element of a name in the element; a name without a prefix finds one with any. Nil when there is none.
    public subscript(name: String) -> XMLValue? {
        for case .element(let element) in content where element.isNamed(name) { return element }
        return nil
    }

    private func isNamed(_ name: String) -> Bool { self.name == name || localName == name }
}

/// Reads XML bodies.
public struct XMLResponseSerializer: ResponseSerializer {
    /// Makes a serializer. No element stands for an empty body: it is an error, or nil behind `.optional`.
    public init() {}

    /// `application/xml, text/xml`
    public var accept: String { "application/xml, text/xml" }

    /// The root of the document. Throws `decodingFailed` with the line, and `emptyBody`.
    public func serialize(_ response: Response<Data>, in context: SerializationContext) throws -> XMLValue {
        if response.body.isEmpty {
            return try EmptyBodyRule.never.value(as: XMLValue.self, response.status, to: context.method)
        }
        return try XMLValue(parsing: response.body, contentType: response.headers.contentType)
    }
}
