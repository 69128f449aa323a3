// swift-tools-version: 6.2
import PackageDescription

// A package of its own, so that neither users of the kit nor its ordinary builds and tests see the fuzzer. Build it with
// Scripts/fuzz: the instrumentation and the fuzzer's runtime come from the command line, because they must reach the kit's own
// modules too.

let package = Package(
    name: "Fuzz",
    platforms: [.macOS(.v15)],
    dependencies: [
        .package(name: "NetworkerKit", path: "../..", traits: []),
        .package(url: "https://github.com/apple/swift-http-types.git", from: "1.8.0", traits: []),
    ],
    targets: [
        .executableTarget(
            name: "Fuzz",
            dependencies: [
                .product(name: "CoreAPI", package: "NetworkerKit"), .product(name: "CoreAPIJSON", package: "NetworkerKit"),
                .product(name: "HTTPTypes", package: "swift-http-types"),
            ],
            path: "Sources",
            swiftSettings: ["ExistentialAny", "InternalImportsByDefault", "MemberImportVisibility"].map {
                .enableUpcomingFeature($0)
            })
    ],
    swiftLanguageModes: [.v6]
)
