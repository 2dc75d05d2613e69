// The part of a module's page, as `docc` renders it (RenderNode, 0.3), that tells what stands in which group.

import Foundation

/// The page of a module.
struct ModulePage: Decodable {
    /// A group of symbols.
    struct Group: Decodable {
        var title: String?
        /// Whether `docc` made the group, from what stands in none of ours.
        var generated: Bool?
        var identifiers: [String]
    }

    var topicSections: [Group]?

    init(reading data: Data) throws {
        self = try JSONDecoder().decode(ModulePage.self, from: data)
    }

    /// A line for each symbol that stands in no group of ours.
    func leftOver() -> [String] {
        (topicSections ?? []).filter { $0.generated ?? false }.flatMap(\.identifiers).map { identifier in
            let name = identifier.split(separator: "/").suffix(2).joined(separator: "/")
            return "Docs/Martlet.docc: error: \(name) stands in no Topics section; give it a place in the book."
        }
    }
}
