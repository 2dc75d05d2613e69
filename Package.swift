// swift-tools-version: 6.2
import PackageDescription

/// Flags every Swift target is built with, so that the whole package reads by the same rules.
let strict: [SwiftSetting] = [
    .swiftLanguageMode(.v6),
    .enableUpcomingFeature("ExistentialAny"),
    .enableUpcomingFeature("MemberImportVisibility"),
    .enableUpcomingFeature("InternalImportsByDefault"),
]

/// What the socket transport needs; absent when its trait is off, so that a build without the C headers is possible.
let socketLibraries: [Target.Dependency] = [
    .target(name: "CLinux", condition: .when(platforms: [.linux], traits: ["SocketTransport"])),
    .target(name: "CNGHTTP2", condition: .when(platforms: [.linux], traits: ["SocketTransport"])),
    .target(name: "COpenSSL", condition: .when(platforms: [.linux], traits: ["SocketTransport"])),
]

/// What takes content codings off, each with a trait of its own.
let codingLibraries: [Target.Dependency] = [
    .target(name: "CZlib", condition: .when(traits: ["Zlib"])),
    .target(name: "CBrotli", condition: .when(traits: ["Brotli"])),
    .target(name: "CZstd", condition: .when(traits: ["Zstd"])),
]

let package = Package(
    name: "martlet",
    platforms: [.macOS(.v15), .iOS(.v18), .tvOS(.v18), .watchOS(.v11), .visionOS(.v2)],
    products: [
        .library(name: "Martlet", targets: ["Martlet"]),
        .library(name: "MartletTesting", targets: ["MartletTesting"]),
        .executable(name: "martlet-cli", targets: ["MartletCLI"]),
    ],
    traits: [
        .default(enabledTraits: ["SocketTransport", "Zlib"]),
        .trait(
            name: "SocketTransport",
            description:
                "Martlet's own transport over epoll, OpenSSL and nghttp2 (Linux). Off: their headers are not needed."),
        .trait(name: "Zlib", description: "gzip and deflate, over zlib. Off: its headers are not needed."),
        .trait(name: "Brotli", description: "Decodes brotli, over libbrotlidec."),
        .trait(name: "Zstd", description: "Decodes zstd, over libzstd."),
    ],
    targets: [
        .systemLibrary(name: "CLinux"),
        .systemLibrary(
            name: "COpenSSL", pkgConfig: "openssl", providers: [.apt(["libssl-dev"]), .brew(["openssl@3"])]),
        .systemLibrary(
            name: "CNGHTTP2", pkgConfig: "libnghttp2",
            providers: [.apt(["libnghttp2-dev"]), .brew(["libnghttp2"])]),
        .systemLibrary(name: "CZlib", pkgConfig: "zlib", providers: [.apt(["zlib1g-dev"]), .brew(["zlib"])]),
        .systemLibrary(
            name: "CBrotli", pkgConfig: "libbrotlidec", providers: [.apt(["libbrotli-dev"]), .brew(["brotli"])]),
        .systemLibrary(name: "CZstd", pkgConfig: "libzstd", providers: [.apt(["libzstd-dev"]), .brew(["zstd"])]),
        .target(name: "Martlet", dependencies: socketLibraries + codingLibraries, swiftSettings: strict),
        .target(name: "MartletTesting", dependencies: ["Martlet"] + socketLibraries, swiftSettings: strict),
        .executableTarget(
            name: "MartletCLI", dependencies: ["Martlet", "MartletTesting"], swiftSettings: strict),
        .testTarget(
            name: "MartletTests", dependencies: ["Martlet", "MartletTesting"] + socketLibraries + codingLibraries,
            swiftSettings: strict),
        .testTarget(
            name: "MartletTestingTests", dependencies: ["Martlet", "MartletTesting"], swiftSettings: strict),
        .testTarget(
            name: "MartletCLITests", dependencies: ["Martlet", "MartletTesting", "MartletCLI"],
            swiftSettings: strict),
        // Started by tests as a child process, for figures that belong to a whole process.
        .executableTarget(
            name: "MartletProbe", dependencies: ["Martlet"], path: "Tests/Probe", swiftSettings: strict),
        // Run by `Docs/build`; a target of its own so that tests can show that it fails where it should.
        .executableTarget(
            name: "DocumentationCheck", path: "Tests/DocumentationCheck", swiftSettings: strict),
        // The public API used as a user's target would: both must compile without a warning.
        .testTarget(
            name: "UsageMainActor", dependencies: ["Martlet", "MartletTesting"],
            swiftSettings: [.swiftLanguageMode(.v6), .defaultIsolation(MainActor.self)]),
        .testTarget(
            name: "UsageNonisolated", dependencies: ["Martlet", "MartletTesting"],
            swiftSettings: [.swiftLanguageMode(.v6)]),
        .testTarget(
            name: "SnippetTests", dependencies: ["Martlet", "MartletTesting", "MartletCLI", "DocumentationCheck"],
            swiftSettings: strict),
    ]
)
