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
let openCombine = product("OpenCombineShim", "OpenCombine", trait: "Reactive")
let xmlCoder = product("XMLCoder", "XMLCoder", trait: "XML")

/// A target; `CoreAPICore` without a folder is in `CoreAPI/Core`.
func target(_ name: String, in folder: String? = nil, _ dependencies: [Target.Dependency] = []) -> Target {
    .target(
        name: name, dependencies: dependencies, path: folder ?? "CoreAPI/\(name.dropFirst("CoreAPI".count))",
        swiftSettings: settings)
}

/// A channel's networker and its interactors.
func channel(_ name: String) -> [Target] {
    [
        target("\(name)Networker", in: "Channels/\(name)/Networker", ["CoreAPI", httpTypes]),
        target(
            "\(name)Interactors", in: "Interactors/\(name)",
            [
                "NetworkerKitModels", "CoreAPI", "CoreAPITransfers", "CoreAPIWebSocket", .byName(name: "\(name)Networker"),
                httpTypes,
            ]),
    ]
}

/// A folder of `Tests`.
func tests(_ name: String, _ dependencies: [Target.Dependency]) -> Target {
    .testTarget(name: name, dependencies: dependencies, path: "Tests/\(name)", swiftSettings: settings)
}

/// What most tests need.
let kit: [Target.Dependency] = ["CoreAPI", "CoreAPICore", "CoreAPIHTTP", "CoreAPITesting", "TestSupport", httpTypes]

let interactors = channels.map { Target.Dependency.byName(name: "\($0)Interactors") }
let networkers = channels.map { Target.Dependency.byName(name: "\($0)Networker") }

/// The targets that users choose. The examples of channels share NetworkerKitModels.
let libraries =
    [
        "CoreAPI", "CoreAPIJSON", "CoreAPIReactive", "CoreAPITesting", "CoreAPITransfers", "CoreAPIURLSession",
        "CoreAPIWebSocket", "CoreAPIXML", "NetworkerCommand", "NetworkerKitModels",
    ] + channels.flatMap { ["\($0)Networker", "\($0)Interactors"] }

let package = Package(
    name: "NetworkerKit",
    platforms: [.macOS(.v15), .iOS(.v18)],
    products: libraries.map { .library(name: $0, targets: [$0]) } + [
        // What the command of this repository has besides: Tools/Package.swift.
        .library(name: "NetworkerKitDemo", targets: ["NetworkerKitDemo", "NetworkerKitChannels"])
    ],
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
        target("CoreAPIHTTP", [httpTypes]),
        target("CoreAPIJSON"),
        target("CoreAPICookies", ["CoreAPIHTTP", "CoreAPIJSON", httpTypes]),
        target("CoreAPIRedaction", ["CoreAPIHTTP", "CoreAPIJSON"]),
        target("CoreAPICoding", ["CoreAPIHTTP", "CoreAPIJSON", "CoreAPIRedaction", httpTypes]),
        target("CoreAPITrust", ["CoreAPIHTTP", "CoreAPIJSON"]),
        target(
            "CoreAPICore",
            [
                "CoreAPICoding", "CoreAPICookies", "CoreAPIHTTP", "CoreAPIJSON", "CoreAPIRedaction", "CoreAPITrust", httpTypes,
                logging,
            ]),
        target(
            "CoreAPICurl",
            [
                "CCurl", "CHTTP2Observer", "CZlib", "CoreAPICookies", "CoreAPICore", "CoreAPIHTTP", "CoreAPIRedaction",
                "CoreAPITrust",
                httpTypes,
            ]),
        target("CoreAPIURLSession", ["CoreAPICore", "CoreAPIHTTP", "CoreAPITrust", httpTypes]),
        target("CoreAPIFixtures", ["CoreAPICore", "CoreAPIHTTP", "CoreAPIRedaction", httpTypes]),
        target("CoreAPIStreaming", ["CoreAPICoding", "CoreAPICore", "CoreAPIHTTP", "CoreAPIRedaction", httpTypes]),
        target(
            "CoreAPI", in: "CoreAPI/Umbrella",
            [
                "CoreAPICoding", "CoreAPICookies", "CoreAPICore", "CoreAPIFixtures", "CoreAPIHTTP", "CoreAPIRedaction",
                "CoreAPIStreaming", "CoreAPITrust", httpTypes,
                // The platform's transport. iOS has no libcurl.
                .target(name: "CoreAPICurl", condition: .when(platforms: [.linux, .macOS])),
                .target(name: "CoreAPIURLSession", condition: .when(platforms: [.iOS])),
            ]),
        target("CoreAPIReactive", ["CoreAPICore", "CoreAPIHTTP", openCombine, httpTypes]),
        target("CoreAPITesting", ["CZlib", "CoreAPI", "CoreAPICore", "CoreAPIHTTP", "CoreAPIWebSocket", httpTypes]),
        target("CoreAPITransfers", ["CZlib", "CoreAPICore", "CoreAPIHTTP", "CoreAPIJSON", "CoreAPIRedaction", httpTypes]),
        target("CoreAPIWebSocket", ["CZlib", "CoreAPICoding", "CoreAPICore", "CoreAPIHTTP", httpTypes]),
        target("CoreAPIXML", ["CoreAPICoding", "CoreAPICore", "CoreAPIHTTP", xmlCoder, httpTypes]),
        target(
            "NetworkerCommand", in: "Command/Networker",
            [
                "CoreAPI", "CoreAPICore", "CoreAPICurl", "CoreAPIHTTP", "CoreAPITransfers", "CoreAPIWebSocket", argumentParser,
                httpTypes, logging,
            ]),
        target("NetworkerKitModels", in: "Demo/Models"),
        target("NetworkerKitChannels", in: "Demo/Channels", ["CoreAPI"] + networkers),
        target(
            "NetworkerKitSandbox", in: "Demo/Sandbox",
            ["NetworkerKitModels", "CoreAPIHTTP", "CoreAPITesting", "CoreAPIWebSocket", httpTypes]),
        target("NetworkerKitTours", in: "Demo/Tour", ["CoreAPI", "CoreAPITransfers", "CoreAPIWebSocket"] + interactors),
        target(
            "NetworkerKitDemo", in: "Demo/Command",
            [
                "CoreAPI", "CoreAPIHTTP", "CoreAPITransfers", "NetworkerCommand", "NetworkerKitSandbox", "NetworkerKitTours",
                argumentParser, httpTypes,
            ]),
        target("TestSupport", in: "Tests/Support", ["CoreAPI", "CoreAPICurl", "CoreAPIHTTP", "CoreAPITesting"]),
        .executableTarget(
            name: "networker-of-tests",
            dependencies: ["HTTPBinNetworker", "NetworkerCommand", "TYNetworker"],
            path: "Tests/NetworkerOfTests", swiftSettings: settings),
        tests(
            "CoreAPITests",
            kit + [
                "CoreAPICookies", "CoreAPICurl", "CoreAPIJSON", "CoreAPITransfers", "CoreAPITrust", "CoreAPIWebSocket", logging,
            ]),
        tests("CoreAPIDigestTests", kit + ["CoreAPITransfers"]),
        tests("CoreAPIJSONTests", ["CoreAPIJSON", "TestSupport"]),
        tests("CoreAPIReactiveTests", kit + ["CoreAPIReactive", openCombine]),
        tests("CoreAPIXMLTests", kit + ["CoreAPIXML", xmlCoder]),
        tests("CoreAPITestingTests", kit),
        tests("StreamingTests", kit + ["CoreAPICurl", "CoreAPIStreaming"]),
        tests("DownloadTests", kit + ["CoreAPICurl", "CoreAPITransfers", "CoreAPIURLSession"]),
        tests("UploadTests", kit + ["CoreAPICurl", "CoreAPITransfers", "CoreAPIURLSession"]),
        tests("TransportTests", kit + ["CoreAPIURLSession"]),
        tests("WebSocketTests", kit + ["CoreAPICurl", "CoreAPIWebSocket"]),
        tests(
            "ChannelTests",
            kit + ["CoreAPITransfers", "CoreAPIWebSocket", "NetworkerKitChannels", "NetworkerKitSandbox"] + networkers
                + interactors),
        tests("SandboxTests", ["CoreAPIHTTP", "NetworkerKitSandbox", httpTypes]),
        tests(
            "NetworkerCommandTests",
            kit + [
                "CoreAPITransfers", "CoreAPIWebSocket", "NetworkerCommand", "NetworkerKitChannels", "NetworkerKitDemo",
                "NetworkerKitSandbox", "NetworkerKitTours", "networker-of-tests", argumentParser,
            ]),
        tests("DocumentationTests", kit + ["TYNetworker"]),
    ]
        + channels.flatMap(channel),
    swiftLanguageModes: [.v6]
)
