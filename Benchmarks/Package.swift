// swift-tools-version: 6.2
import PackageDescription

let strict: [SwiftSetting] = [
    .swiftLanguageMode(.v6),
    .enableUpcomingFeature("ExistentialAny"),
    .enableUpcomingFeature("MemberImportVisibility"),
    .enableUpcomingFeature("InternalImportsByDefault"),
]

/// What Foundation itself is linked against once it is linked statically.
let foundation = ["CoreFoundation", "_FoundationICU", "_FoundationCShims", "_FoundationCollections"]

let package = Package(
    name: "martlet-benchmarks",
    platforms: [.macOS(.v15)],
    products: [
        .executable(name: "bench", targets: ["Bench"]),
        .executable(name: "bench-urlsession", targets: ["BenchURLSession"]),
    ],
    dependencies: [
        // By name, so that a clone under any folder name works.
        .package(name: "martlet", path: "..")
    ],
    targets: [
        // What can be decided without a process or a socket: statistics, budgets, table, JSON, charts, arguments.
        .target(name: "BenchKit", swiftSettings: strict),
        // What every program that makes runs needs: the loop that makes calls, and what the system says of the process.
        .target(name: "BenchRuns", dependencies: ["BenchKit"], swiftSettings: strict),
        // Linked as a server is shipped, with the Swift runtime inside: calls into a shared one took 6 percent more.
        .executableTarget(
            name: "Bench",
            dependencies: [
                "BenchKit", "BenchRuns", "BenchURLSession", .product(name: "Martlet", package: "martlet"),
            ],
            swiftSettings: strict,
            linkerSettings: [
                .unsafeFlags(["-static-stdlib"], .when(platforms: [.linux]))
            ] + foundation.map { .linkedLibrary($0, .when(platforms: [.linux])) }),
        // Built with `bench`, which starts it.
        .executableTarget(
            name: "BenchURLSession", dependencies: ["BenchKit", "BenchRuns"], swiftSettings: strict),
        .testTarget(name: "BenchKitTests", dependencies: ["BenchKit"], swiftSettings: strict),
    ]
)
