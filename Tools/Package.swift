// swift-tools-version: 6.2
import PackageDescription

// The command of this repository. A package of its own, so that a package that depends on the kit sees no executable. Its modules
// are in ../Command, where the tests of the kit reach them.
let package = Package(
    name: "Tools",
    platforms: [.macOS(.v15)],
    dependencies: [.package(name: "NetworkerKit", path: "..", traits: ["Command"])],
    targets: [
        .executableTarget(
            name: "networker",
            dependencies: [
                .product(name: "NetworkerKitDemo", package: "NetworkerKit"),
                .product(name: "NetworkerCommand", package: "NetworkerKit"),
            ],
            path: "Networker")
    ],
    swiftLanguageModes: [.v6]
)
