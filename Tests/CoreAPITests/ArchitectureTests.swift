import Foundation
import Testing

@Suite("The architecture")
struct ArchitectureTests {
    /// The kit's modules that each folder may import.
    private static let allowed: [(folder: String, modules: Set<String>)] = own + ofChannels

    private static let own: [(folder: String, modules: Set<String>)] = [
        ("CoreAPI/Umbrella", ["CoreAPICore", "CoreAPICurl", "CoreAPIFixtures", "CoreAPIHooks", "CoreAPIStreaming"]),
        ("CoreAPI/Base", ["CoreAPILock"]), ("CoreAPI/Hash", []), ("CoreAPI/Lock", []), ("CoreAPI/HTTPSupport", []),
        ("CoreAPI/JSON", []),
        ("CoreAPI/Spellings", []),
        ("CoreAPI/Cookies", ["CoreAPILock", "CoreAPIBase", "CoreAPIHTTPSupport", "CoreAPIJSON"]),
        ("CoreAPI/Redaction", ["CoreAPIBase", "CoreAPIHTTPSupport"]),
        ("CoreAPI/Coding", ["CoreAPIBase", "CoreAPIHTTPSupport", "CoreAPIJSON", "CoreAPIRedaction"]),
        ("CoreAPI/Trust", ["CoreAPIBase", "CoreAPIHash", "CoreAPIHTTPSupport", "CoreAPIJSON"]),
        (
            "CoreAPI/Core",
            [
                "CoreAPILock", "CoreAPIBase", "CoreAPICoding", "CoreAPICookies", "CoreAPIHTTPSupport", "CoreAPIJSON",
                "CoreAPIRedaction", "CoreAPISpellings", "CoreAPITrust",
            ]
        ),
        ("CoreAPI/Curl", ["CoreAPILock", "CCurl", "CHTTP2Observer", "CZlib", "CoreAPIBase", "CoreAPICore"]),
        ("CoreAPI/Fixtures", ["CoreAPICore"]),
        ("CoreAPI/Hooks", ["CoreAPILock", "CoreAPIBase", "CoreAPICore", "CoreAPIJSON"]),
        ("CoreAPI/Digest", ["CoreAPILock", "CoreAPICore", "CoreAPIHash"]),
        ("CoreAPI/Streaming", ["CoreAPILock", "CoreAPICore"]),
        ("CoreAPI/Reactive", ["CoreAPILock", "CoreAPICore"]),
        ("CoreAPI/Testing", ["CoreAPILock", "CoreAPI", "CoreAPICore", "CoreAPIWebSocket"]),
        (
            "CoreAPI/Transfers",
            ["CoreAPILock", "CZlib", "CoreAPIBase", "CoreAPICore", "CoreAPIHash", "CoreAPIHTTPSupport", "CoreAPIJSON"]
        ),
        ("CoreAPI/URLSession", ["CoreAPILock", "CoreAPICore"]),
        ("CoreAPI/WebSocket", ["CoreAPILock", "CZlib", "CoreAPICore", "CoreAPIHash"]),
        ("CoreAPI/XML", ["CoreAPICore"]), ("Channels/Sandbox", ["CoreAPITesting", "CoreAPIWebSocket"]),
        ("Channels/Tour", ["CoreAPI", "CoreAPITransfers"]),
    ]

    private static let ofChannels: [(folder: String, modules: Set<String>)] = SourceTree.folders(in: "Interactors").flatMap {
        channel -> [(folder: String, modules: Set<String>)] in
        [
            (
                "Channels/\(channel)",
                ["CoreAPI", "CoreAPIHash", "CoreAPILock", "CoreAPITransfers", "CoreAPIWebSocket", "\(channel)Interactors"]
            ),
            ("Interactors/\(channel)", ["CoreAPI", "CoreAPITransfers", "CoreAPIWebSocket", "\(channel)Networker"]),
        ]
    }

    @Test("imports go only downward")
    func imports() throws {
        for (folder, modules) in Self.allowed {
            let files = SourceTree.swiftFiles(in: folder)
            #expect(!files.isEmpty, "\(folder) is empty")
            for file in files {
                let source = try String(contentsOfFile: SourceTree.path(file), encoding: .utf8)
                for line in source.components(separatedBy: "\n") where line.contains("import ") {
                    guard let match = line.firstMatch(of: /^\s*(?:\w+ )?import (\w+)/) else { continue }
                    let module = String(match.output.1)
                    let isOurs =
                        ["CCurl", "CHTTP2Observer", "CZlib"].contains(module) || module.hasPrefix("CoreAPI")
                        || module.hasSuffix("Networker")
                        || module.hasSuffix("Interactors")
                    #expect(!isOurs || modules.contains(module), "\(file) imports \(module)")
                }
            }
        }
    }

    /// The compiler finds it on every system, so a target can use it without declaring it.
    @Test("nothing in the core or beside libcurl imports FoundationNetworking")
    func noOtherClient() throws {
        for file in SourceTree.swiftFiles(in: "CoreAPI/Core") + SourceTree.swiftFiles(in: "CoreAPI/Curl") {
            let source = try String(contentsOfFile: SourceTree.path(file), encoding: .utf8)
            #expect(!source.contains("import FoundationNetworking"), "\(file) imports FoundationNetworking")
        }
    }
}
