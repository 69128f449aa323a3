// swift-tools-version: 6.2
import PackageDescription

// Samples of the pages with the packages that they stand for. A separate package, so that neither users nor the ordinary tests
// resolve those. Scripts/peers copies the samples from the pages, and runs the tests.

let package = Package(
    name: "Recipes",
    platforms: [.macOS(.v15)],
    dependencies: [
        .package(name: "NetworkerKit", path: "../..", traits: []),
        .package(url: "https://github.com/swift-server/swift-service-lifecycle.git", from: "2.13.0"),
        .package(url: "https://github.com/apple/swift-metrics.git", from: "2.13.0"),
        .package(url: "https://github.com/apple/swift-distributed-tracing.git", from: "1.7.3"),
        .package(url: "https://github.com/apple/swift-log.git", from: "1.16.2"),
    ],
    targets: [
        .testTarget(
            name: "RecipesTests",
            dependencies: [
                .product(name: "CoreAPI", package: "NetworkerKit"), .product(name: "CoreAPITesting", package: "NetworkerKit"),
                .product(name: "InMemoryTracing", package: "swift-distributed-tracing"),
                .product(name: "Logging", package: "swift-log"),
                .product(name: "Metrics", package: "swift-metrics"),
                .product(name: "MetricsTestKit", package: "swift-metrics"),
                .product(name: "ServiceLifecycle", package: "swift-service-lifecycle"),
                .product(name: "Tracing", package: "swift-distributed-tracing"),
            ],
            path: "Tests")
    ]
)
