// swift-tools-version: 6.2
import PackageDescription

// Fuzzing of the HTTP/1.1 parser, a package of its own because libFuzzer brings the `main`:
//
//     swift build --package-path Tests/Fuzz --sanitize=fuzzer
//     Tests/Fuzz/.build/debug/HTTP1ParserFuzz -max_total_time=60 Tests/Fuzz/Corpus
//
// The parser is compiled into the target through symbolic links, so that libFuzzer sees its branches.
let package = Package(
    name: "martlet-fuzz",
    targets: [
        .executableTarget(
            name: "HTTP1ParserFuzz",
            swiftSettings: [
                .swiftLanguageMode(.v6),
                .enableUpcomingFeature("ExistentialAny"),
                .enableUpcomingFeature("MemberImportVisibility"),
                .enableUpcomingFeature("InternalImportsByDefault"),
                .unsafeFlags(["-parse-as-library"]),
            ])
    ]
)
