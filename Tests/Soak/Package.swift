// swift-tools-version: 6.2
import PackageDescription

// A separate package, so that users of the kit and its ordinary builds and tests do not get it. Run it with Scripts/soak.

let package = Package(
    name: "Soak",
    platforms: [.macOS(.v15)],
    dependencies: [
        .package(name: "NetworkerKit", path: "../..", traits: []),
        .package(url: "https://github.com/apple/swift-http-types.git", from: "1.8.0", traits: []),
    ],
    targets: [
        .executableTarget(
            name: "Soak",
            dependencies: [
                .product(name: "CoreAPI", package: "NetworkerKit"), .product(name: "CoreAPITesting", package: "NetworkerKit"),
                .product(name: "HTTPTypes", package: "swift-http-types"),
            ],
            path: "Sources",
            swiftSettings: [
                "ExistentialAny", "InternalImportsByDefault", "MemberImportVisibility", "NonisolatedNonsendingByDefault",
            ].map { .enableUpcomingFeature($0) })
    ],
    swiftLanguageModes: [.v6]
)
