// A coded body that expands a thousandfold, taken with one limit or another.

import Foundation
import Martlet

enum DecodeBomb {
    @Sendable static func run(_ settings: Settings) async throws -> [String: Int] {
        let way = try settings.text("way")
        let limit = try settings.number("limit")
        let client = MartletClient()
        let call = client.get(try settings.text("url")).options { options in
            if way == "limited" || way == "unlimited" { options.contentDecoding.maximumRatio = nil }
            if way == "limited" { options.contentDecoding.maximumBytes = limit }
        }
        var decoded = 0
        var figures = ["sizeExceeded": 0, "invalid": 0]
        do {
            if way == "collected" {
                decoded = try await call.data().count
            } else {
                for try await chunk in call.chunks { decoded += chunk.count }
            }
        } catch let error as MartletError where error.code == .decompressedSizeExceeded {
            figures["sizeExceeded"] = 1
        } catch let error as MartletError where error.code == .invalidContentCoding {
            figures["invalid"] = 1
        }
        await client.shutdown()
        figures["decoded"] = decoded
        figures["peakKiB"] = ProcessFigures.peakResidentKiB
        return figures
    }
}
