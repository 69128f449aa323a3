// swift-tools-version: 6.2
import PackageDescription

// A separate package, so that users of the kit and its ordinary builds and tests do not get the fuzzer. Build it with
// Scripts/fuzz, which passes instrumentation and runtime on the command line, because they must also apply to the kit's
// modules.

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
                .product(name: "CoreAPITransfers", package: "NetworkerKit"),
                .product(name: "CoreAPIWebSocket", package: "NetworkerKit"),
                .product(name: "HTTPTypes", package: "swift-http-types"),
            ],
            path: "Sources",
            swiftSettings: ["ExistentialAny", "InternalImportsByDefault", "MemberImportVisibility"].map {
                .enableUpcomingFeature($0)
            })
    ],
    swiftLanguageModes: [.v6]
)
