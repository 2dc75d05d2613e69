// swift-tools-version: 6.2
import PackageDescription

let strict: [SwiftSetting] = [
    .swiftLanguageMode(.v6),
    .enableUpcomingFeature("ExistentialAny"),
    .enableUpcomingFeature("MemberImportVisibility"),
    .enableUpcomingFeature("InternalImportsByDefault"),
]

let package = Package(
    name: "martlet-benchmarks",
    platforms: [.macOS(.v15)],
    products: [.executable(name: "bench", targets: ["Bench"])],
    dependencies: [
        // By name, so that a clone under any folder name works.
        .package(name: "martlet", path: "..")
    ],
    targets: [
        // What can be decided without a process or a socket: statistics, budgets, table, JSON, charts, arguments.
        .target(name: "BenchKit", swiftSettings: strict),
        .executableTarget(
            name: "Bench", dependencies: ["BenchKit", .product(name: "Martlet", package: "martlet")],
            swiftSettings: strict),
        .testTarget(name: "BenchKitTests", dependencies: ["BenchKit"], swiftSettings: strict),
    ]
)
