// The part of a symbol graph (swift-docc-symbolkit, format 0.6) that tells which symbols have a comment.

import Foundation

/// The symbols of a module.
struct SymbolGraph: Decodable {
    /// A symbol of the module's public face.
    struct Symbol: Decodable {
        struct Identifier: Decodable {
            var precise: String
        }

        struct Comment: Decodable {
            struct Line: Decodable {
                var text: String
            }

            var lines: [Line]
        }

        struct Location: Decodable {
            struct Position: Decodable {
                /// Counted from 0.
                var line: Int
            }

            var uri: String
            var position: Position
        }

        var identifier: Identifier
        var pathComponents: [String]
        /// Its own comment, or the one that it inherits from the requirement it fulfils.
        var docComment: Comment?
        /// Nil for what the compiler adds by itself, such as the `init(rawValue:)` of an enum.
        var location: Location?

        /// Whether it stands in the source; a member that came with a conformance is a copy of another module's.
        var isWritten: Bool { location != nil && !identifier.precise.contains("::SYNTHESIZED::") }

        var hasComment: Bool {
            docComment?.lines.contains { !$0.text.allSatisfy(\.isWhitespace) } ?? false
        }
    }

    var symbols: [Symbol]

    init(reading data: Data) throws {
        self = try JSONDecoder().decode(SymbolGraph.self, from: data)
    }

    /// A line for each symbol without a comment, in the order of the sources; paths are cut to those in `folder`.
    func undocumented(relativeTo folder: String) -> [String] {
        let missing = symbols.filter { $0.isWritten && !$0.hasComment }.compactMap { symbol in
            symbol.location.map { (symbol.pathComponents.joined(separator: "."), $0) }
        }
        return missing.sorted { ($0.1.uri, $0.1.position.line) < ($1.1.uri, $1.1.position.line) }.map {
            name, location in
            var path = URL(string: location.uri)?.path(percentEncoded: false) ?? location.uri
            let prefix = folder.hasSuffix("/") ? folder : folder + "/"
            if path.hasPrefix(prefix) { path.removeFirst(prefix.count) }
            let place = "\(path):\(location.position.line + 1)"
            return "\(place): error: \(name) is public and has no documentation comment."
        }
    }
}
