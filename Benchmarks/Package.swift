// swift-tools-version: 6.2
import PackageDescription

// A separate package, so that users of the kit do not resolve its competitors. Linux only. Run it with Scripts/bench.

let settings: [SwiftSetting] = [
    "ExistentialAny", "InternalImportsByDefault", "MemberImportVisibility", "NonisolatedNonsendingByDefault",
].map { .enableUpcomingFeature($0) }

/// Every client is a separate program, so that its memory does not include the others' libraries. Scripts/bench compiles the C
/// client, RawCurl/main.c, with the files beside it, because the package manager links Swift's library to every program. Those
/// files are also a library for BenchBare.
func client(_ name: String, _ dependencies: [Target.Dependency] = []) -> Target {
    .executableTarget(name: name, dependencies: ["Measure"] + dependencies, swiftSettings: settings)
}

let package = Package(
    name: "Benchmarks",
    platforms: [.macOS(.v15)],
    dependencies: [
        .package(name: "NetworkerKit", path: "..", traits: []),
        .package(url: "https://github.com/apple/swift-http-types.git", from: "1.8.0", traits: []),
        .package(url: "https://github.com/apple/swift-nio.git", from: "2.101.2"),
        .package(url: "https://github.com/apple/swift-nio-ssl.git", from: "2.36.0"),
        .package(url: "https://github.com/swift-server/async-http-client.git", from: "1.37.0"),
    ],
    targets: [
        .target(name: "Meter"),
        .target(name: "Holding"),
        .target(name: "RawCurl", path: "RawCurl", exclude: ["main.c"], linkerSettings: [.linkedLibrary("curl")]),
        .target(name: "Measure", dependencies: ["Meter"], swiftSettings: settings),
        client(
            "BenchKit",
            [
                .product(name: "CoreAPI", package: "NetworkerKit"), .product(name: "CoreAPITransfers", package: "NetworkerKit"),
                .product(name: "HTTPTypes", package: "swift-http-types"),
            ]),
        client(
            "BenchAHC",
            [
                .product(name: "AsyncHTTPClient", package: "async-http-client"), .product(name: "NIOCore", package: "swift-nio"),
                .product(name: "NIOFoundationCompat", package: "swift-nio"), .product(name: "NIOHTTP1", package: "swift-nio"),
                .product(name: "NIOPosix", package: "swift-nio"), .product(name: "_NIOFileSystem", package: "swift-nio"),
                .product(name: "NIOSSL", package: "swift-nio-ssl"),
            ]),
        client("BenchBare", ["RawCurl", .product(name: "CoreAPIJSON", package: "NetworkerKit")]),
        client("BenchURLSession"),
        .target(name: "Allocations"),
        .executableTarget(
            name: "BenchJSON", dependencies: ["Allocations", .product(name: "CoreAPIJSON", package: "NetworkerKit")],
            swiftSettings: settings),
        .executableTarget(
            name: "BenchPipeline",
            dependencies: [
                "Allocations", .product(name: "CoreAPI", package: "NetworkerKit"),
                .product(name: "HTTPTypes", package: "swift-http-types"),
            ], swiftSettings: settings),
        .executableTarget(name: "Bench", dependencies: ["Holding", "Measure", "Meter"], swiftSettings: settings),
        .testTarget(name: "BenchTests", dependencies: ["Bench"], swiftSettings: settings),
    ],
    swiftLanguageModes: [.v6]
)
