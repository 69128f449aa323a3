// swift-tools-version: 6.2
import PackageDescription

// The architecture as data. Imports run only downward, and each border keeps something out:
//   CoreAPIHTTP        knows no call
//   CoreAPIJSON        knows neither HTTP nor the kit
//   CoreAPICookies, CoreAPIRedaction, CoreAPICoding, CoreAPITrust
//                      one idea each below the call; a change in one rebuilds little
//   CoreAPICore        knows what a call is, and neither a transport nor a library of C
//   CoreAPICurl, CoreAPIURLSession
//                      the transports; CCurl, CHTTP2Observer and CZlib are libcurl's
//   CoreAPIFixtures, CoreAPIStreaming
//                      what a manager's doors bring besides
//   CoreAPI            what users import
//   CoreAPIReactive, CoreAPITesting, CoreAPITransfers, CoreAPIWebSocket, CoreAPIXML
//                      what a user chooses
//   channel ← interactors ← tools

/// Each has a folder in `Channels/` and one in `Interactors/`.
let channels = ["TY", "DL", "ML", "ID", "HTTPBin", "GIPHY"]

let settings: [SwiftSetting] = [
    "ExistentialAny",  // SE-0335
    "InternalImportsByDefault",  // SE-0409
    "MemberImportVisibility",  // SE-0444
    "NonisolatedNonsendingByDefault",  // SE-0461
    "InferIsolatedConformances",  // SE-0470
].map { .enableUpcomingFeature($0) }

let httpTypes = Target.Dependency.product(name: "HTTPTypes", package: "swift-http-types")
let logging = Target.Dependency.product(name: "Logging", package: "swift-log")

/// What only some need is behind a trait: a package that depends on this one with `traits: []` resolves neither.
func product(_ name: String, _ package: String, trait: String) -> Target.Dependency {
    .product(name: name, package: package, condition: .when(traits: [trait]))
}

let argumentParser = product("ArgumentParser", "swift-argument-parser", trait: "Command")

/// A channel's networker and its interactors.
func channel(_ name: String) -> [Target] {
    [
        .target(
            name: "\(name)Networker", dependencies: ["CoreAPI", httpTypes],
            path: "Channels/\(name)/Networker", swiftSettings: settings),
        .target(
            name: "\(name)Interactors",
            dependencies: [
                "NetworkerKitModels", "CoreAPI", "CoreAPITransfers", "CoreAPIWebSocket", .byName(name: "\(name)Networker"),
                httpTypes,
            ],
            path: "Interactors/\(name)", swiftSettings: settings),
    ]
}

/// A folder of `Tests`.
func tests(_ name: String, _ dependencies: [Target.Dependency]) -> Target {
    .testTarget(name: name, dependencies: dependencies, path: "Tests/\(name)", swiftSettings: settings)
}

let interactors = channels.map { Target.Dependency.byName(name: "\($0)Interactors") }
let networkers = channels.map { Target.Dependency.byName(name: "\($0)Networker") }

let package = Package(
    name: "NetworkerKit",
    platforms: [.macOS(.v15), .iOS(.v18)],
    products: [
        .library(name: "CoreAPI", targets: ["CoreAPI"]),
        .library(name: "CoreAPIJSON", targets: ["CoreAPIJSON"]),
        .library(name: "CoreAPIReactive", targets: ["CoreAPIReactive"]),
        .library(name: "CoreAPITesting", targets: ["CoreAPITesting"]),
        .library(name: "CoreAPITransfers", targets: ["CoreAPITransfers"]),
        .library(name: "CoreAPIURLSession", targets: ["CoreAPIURLSession"]),
        .library(name: "CoreAPIWebSocket", targets: ["CoreAPIWebSocket"]),
        .library(name: "CoreAPIXML", targets: ["CoreAPIXML"]),
        .library(name: "NetworkerCommand", targets: ["NetworkerCommand"]),
        // What the interactors of the examples share.
        .library(name: "NetworkerKitModels", targets: ["NetworkerKitModels"]),
        // What the command of this repository has besides: Tools/Package.swift.
        .library(name: "NetworkerKitDemo", targets: ["NetworkerKitDemo", "NetworkerKitChannels"]),
    ]
        + channels.flatMap { name in
            ["\(name)Networker", "\(name)Interactors"].map { .library(name: $0, targets: [$0]) }
        },
    traits: [
        .trait(name: "Command", description: "swift-argument-parser, for NetworkerCommand."),
        .trait(name: "Reactive", description: "OpenCombine, for CoreAPIReactive."),
        .trait(name: "XML", description: "XMLCoder, for CoreAPIXML."),
        .default(enabledTraits: ["Command", "Reactive", "XML"]),
    ],
    dependencies: [
        .package(url: "https://github.com/CoreOffice/XMLCoder.git", from: "0.18.2"),
        .package(url: "https://github.com/OpenCombine/OpenCombine.git", from: "0.14.0"),
        .package(url: "https://github.com/apple/swift-http-types.git", from: "1.8.0", traits: []),
        .package(url: "https://github.com/apple/swift-log.git", from: "1.16.2"),
        .package(url: "https://github.com/apple/swift-argument-parser.git", from: "1.8.2"),
    ],
    targets: [
        .systemLibrary(
            name: "CCurl", path: "CoreAPI/CCurl", pkgConfig: "libcurl",
            providers: [.apt(["libcurl4-openssl-dev"]), .brew(["curl"])]),
        .systemLibrary(
            name: "CZlib", path: "CoreAPI/CZlib", pkgConfig: "zlib", providers: [.apt(["zlib1g-dev"]), .brew(["zlib"])]),
        .target(name: "CHTTP2Observer", path: "CoreAPI/CHTTP2Observer"),
        .target(
            name: "CoreAPI",
            dependencies: [
                "CoreAPICore", "CoreAPIFixtures", "CoreAPIStreaming",
                // The platform's transport. iOS has no libcurl.
                .target(name: "CoreAPICurl", condition: .when(platforms: [.linux, .macOS])),
                .target(name: "CoreAPIURLSession", condition: .when(platforms: [.iOS])),
            ],
            path: "CoreAPI/Umbrella", swiftSettings: settings),
        .target(
            name: "CoreAPICoding",
            dependencies: ["CoreAPIHTTP", "CoreAPIJSON", "CoreAPIRedaction", httpTypes],
            path: "CoreAPI/Coding", swiftSettings: settings),
        .target(
            name: "CoreAPICookies", dependencies: ["CoreAPIHTTP", "CoreAPIJSON", httpTypes],
            path: "CoreAPI/Cookies", swiftSettings: settings),
        .target(
            name: "CoreAPICore",
            dependencies: [
                "CoreAPICoding", "CoreAPICookies", "CoreAPIHTTP", "CoreAPIJSON", "CoreAPIRedaction", "CoreAPITrust", httpTypes, logging,
            ],
            path: "CoreAPI/Core", swiftSettings: settings),
        .target(
            name: "CoreAPICurl",
            dependencies: ["CoreAPIHTTP", "CCurl", "CHTTP2Observer", "CZlib", "CoreAPICore", httpTypes],
            path: "CoreAPI/Curl", swiftSettings: settings),
        .target(
            name: "CoreAPIFixtures", dependencies: ["CoreAPICore", httpTypes], path: "CoreAPI/Fixtures", swiftSettings: settings),
        .target(
            name: "CoreAPIHTTP", dependencies: [httpTypes], path: "CoreAPI/HTTP", swiftSettings: settings),
        .target(name: "CoreAPIJSON", path: "CoreAPI/JSON", swiftSettings: settings),
        .target(
            name: "CoreAPIRedaction", dependencies: ["CoreAPIHTTP"], path: "CoreAPI/Redaction",
            swiftSettings: settings),
        .target(
            name: "CoreAPIStreaming", dependencies: ["CoreAPIHTTP", "CoreAPICore", httpTypes], path: "CoreAPI/Streaming",
            swiftSettings: settings),
        .target(
            name: "CoreAPITrust", dependencies: ["CoreAPIHTTP", "CoreAPIJSON"],
            path: "CoreAPI/Trust", swiftSettings: settings),
        .target(name: "NetworkerKitModels", path: "Demo/Models", swiftSettings: settings),
        .target(
            name: "NetworkerKitChannels", dependencies: ["CoreAPI"] + networkers, path: "Demo/Channels",
            swiftSettings: settings),
        .target(
            name: "CoreAPITesting", dependencies: ["CoreAPIHTTP", "CoreAPI", "CoreAPICore", "CoreAPIWebSocket", httpTypes],
            path: "CoreAPI/Testing",
            swiftSettings: settings),
        .target(
            name: "CoreAPIReactive",
            dependencies: [
                "CoreAPIHTTP", "CoreAPICore", product("OpenCombineShim", "OpenCombine", trait: "Reactive"), httpTypes,
            ],
            path: "CoreAPI/Reactive", swiftSettings: settings),
        .target(
            name: "CoreAPITransfers",
            dependencies: [
                "CoreAPIHTTP", "CZlib", "CoreAPICore", "CoreAPIJSON",
                httpTypes,
            ],
            path: "CoreAPI/Transfers", swiftSettings: settings),
        .target(
            name: "CoreAPIURLSession", dependencies: ["CoreAPIHTTP", "CoreAPICore", httpTypes], path: "CoreAPI/URLSession",
            swiftSettings: settings),
        .target(
            name: "CoreAPIWebSocket",
            dependencies: ["CoreAPIHTTP", "CZlib", "CoreAPICore", httpTypes], path: "CoreAPI/WebSocket",
            swiftSettings: settings),
        .target(
            name: "CoreAPIXML", dependencies: ["CoreAPICore", product("XMLCoder", "XMLCoder", trait: "XML"), httpTypes],
            path: "CoreAPI/XML", swiftSettings: settings),
        .target(
            name: "NetworkerKitSandbox",
            dependencies: ["NetworkerKitModels", "CoreAPIHTTP", "CoreAPITesting", "CoreAPIWebSocket", httpTypes],
            path: "Demo/Sandbox", swiftSettings: settings),
        .target(
            name: "NetworkerKitTours", dependencies: ["CoreAPI", "CoreAPITransfers", "CoreAPIWebSocket"] + interactors,
            path: "Demo/Tour", swiftSettings: settings),
        .target(
            name: "NetworkerCommand",
            dependencies: [
                "CoreAPI", "CoreAPIHTTP", "CoreAPICurl", "CoreAPICore", "CoreAPITransfers", "CoreAPIWebSocket",
                argumentParser, httpTypes, logging,
            ],
            path: "Command/Networker", swiftSettings: settings),
        .target(
            name: "NetworkerKitDemo",
            dependencies: [
                "CoreAPI", "CoreAPIHTTP", "CoreAPITransfers", "NetworkerKitTours", "NetworkerCommand", "NetworkerKitSandbox",
                argumentParser,
                httpTypes,
            ],
            path: "Demo/Command", swiftSettings: settings),
        .executableTarget(
            name: "networker-of-tests",
            dependencies: ["HTTPBinNetworker", "NetworkerCommand", "TYNetworker"],
            path: "Tests/NetworkerOfTests", swiftSettings: settings),
        .target(
            name: "Programs", dependencies: ["CoreAPIHTTP", "CoreAPI", "CoreAPICurl", "CoreAPITesting"], path: "Tests/Programs",
            swiftSettings: settings),
        tests(
            "CoreAPITests",
            [
                "CoreAPIHTTP", "CoreAPI", "CoreAPICookies", "CoreAPICore", "CoreAPICurl",
                "CoreAPIJSON", "CoreAPITesting", "CoreAPITransfers", "CoreAPITrust", "CoreAPIWebSocket", "Programs", httpTypes,
                logging,
            ]),
        tests(
            "CoreAPIDigestTests",
            [
                "CoreAPIHTTP", "CoreAPI", "CoreAPICore", "CoreAPITesting", "CoreAPITransfers", httpTypes,
            ]),
        tests("CoreAPIJSONTests", ["CoreAPIJSON", "Programs"]),
        tests(
            "CoreAPIReactiveTests",
            [
                "CoreAPI", "CoreAPIReactive", "CoreAPITesting", product("OpenCombineShim", "OpenCombine", trait: "Reactive"),
                httpTypes,
            ]),
        tests(
            "CoreAPIXMLTests",
            [
                "CoreAPI", "CoreAPITesting", "CoreAPIXML", "Programs", product("XMLCoder", "XMLCoder", trait: "XML"), httpTypes,
            ]),
        tests("CoreAPITestingTests", ["CoreAPIHTTP", "CoreAPI", "CoreAPITesting", "Programs", httpTypes]),
        tests(
            "StreamingTests",
            [
                "CoreAPIHTTP", "CoreAPI", "CoreAPICore", "CoreAPICurl", "CoreAPIStreaming", "CoreAPITesting", "Programs",
                httpTypes,
            ]),
        tests(
            "DownloadTests",
            [
                "CoreAPIHTTP", "CoreAPI", "CoreAPICore", "CoreAPICurl", "CoreAPITesting",
                "CoreAPITransfers", "CoreAPIURLSession", "Programs", httpTypes,
            ]),
        tests("TransportTests", ["CoreAPIHTTP", "CoreAPI", "CoreAPICore", "CoreAPITesting", "CoreAPIURLSession", httpTypes]),
        tests(
            "WebSocketTests",
            [
                "CoreAPIHTTP", "CoreAPI", "CoreAPICore", "CoreAPICurl", "CoreAPITesting", "CoreAPIWebSocket", "Programs",
                httpTypes,
            ]),
        tests(
            "ChannelTests",
            [
                "CoreAPIHTTP", "CoreAPI", "CoreAPITesting", "CoreAPITransfers", "CoreAPIWebSocket", "NetworkerKitChannels",
                "NetworkerKitSandbox", httpTypes,
            ] + networkers + interactors),
        tests(
            "NetworkerCommandTests",
            [
                "CoreAPIHTTP", "CoreAPI", "CoreAPITesting", "CoreAPITransfers", "CoreAPIWebSocket", "NetworkerKitDemo",
                "NetworkerKitTours", "NetworkerKitChannels", "NetworkerCommand", "Programs", "NetworkerKitSandbox",
                "networker-of-tests", argumentParser, httpTypes,
            ]),
        tests(
            "DocumentationTests",
            [
                "CoreAPIHTTP", "CoreAPI", "CoreAPICore", "CoreAPIReactive", "CoreAPITesting",
                "CoreAPITransfers", "CoreAPIURLSession", "CoreAPIWebSocket", "CoreAPIXML", "TYNetworker", "TYInteractors",
                "DLNetworker", "DLInteractors", product("OpenCombineShim", "OpenCombine", trait: "Reactive"), httpTypes, logging,
            ]),
        tests(
            "UploadTests",
            [
                "CoreAPIHTTP", "CoreAPI", "CoreAPICore", "CoreAPICurl", "CoreAPITesting", "CoreAPITransfers",
                "CoreAPIURLSession", "Programs", httpTypes,
            ]),
        tests("SandboxTests", ["CoreAPIHTTP", "NetworkerKitSandbox", httpTypes]),
    ]
        + channels.flatMap(channel),
    swiftLanguageModes: [.v6]
)
