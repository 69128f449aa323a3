import Foundation
import Testing

@Suite("The house")
struct ArchitectureTests {
    /// Which of the kit's modules a folder may import.
    private static let allowed: [(folder: String, modules: Set<String>)] =
        [
            ("CoreAPI/Core", ["CCurl", "CCurlMemory", "CStreamEnds", "CoreAPIJSON"]), ("CoreAPI/JSON", []),
            ("CoreAPI/Digest", ["CoreAPI"]),
            ("CoreAPI/Reactive", ["CoreAPI"]),
            ("CoreAPI/Testing", ["CoreAPI"]),
            ("CoreAPI/XML", ["CoreAPI"]), ("Tools/Sandbox", []),
        ]
        + ["TY", "DL", "ML", "ID", "HTTPBin", "GIPHY"].flatMap { channel -> [(String, Set<String>)] in
            [("Channels/\(channel)", ["CoreAPI"]), ("Interactors/\(channel)", ["CoreAPI", "\(channel)Networker"])]
        }

    @Test("imports run only downward")
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
                        ["CCurl", "CCurlMemory", "CStreamEnds"].contains(module) || module.hasPrefix("CoreAPI")
                        || module.hasSuffix("Networker")
                        || module.hasSuffix("Interactors")
                    #expect(!isOurs || modules.contains(module), "\(file) imports \(module)")
                }
            }
        }
    }

    @Test("only the curl folder imports libcurl, and nothing imports FoundationNetworking")
    func curl() throws {
        for file in SourceTree.swiftFiles(in: "CoreAPI/Core") {
            let source = try String(contentsOfFile: SourceTree.path(file), encoding: .utf8)
            #expect(!source.contains("import CCurl") || file.contains("/Transport/Curl/"), "\(file) imports CCurl")
            #expect(!source.contains("import FoundationNetworking"), "\(file) imports FoundationNetworking")
        }
    }

    @Test("the four channels have the same four files")
    func channelFiles() {
        for channel in ["TY", "DL", "ML", "ID"] {
            let names = ["AuthInterceptor", "Host", "Logger", "Networker"].map { "Channels/\(channel)/\(channel)\($0).swift" }
            #expect(SourceTree.swiftFiles(in: "Channels/\(channel)") == names)
        }
    }

    @Test("the top level holds what the README names and nothing else")
    func topLevel() throws {
        let names = try FileManager.default.contentsOfDirectory(atPath: SourceTree.root).filter { !$0.hasPrefix(".") }
        let allowed: Set = [
            "Package.swift", "Package.resolved", "README.md", "CoreAPI", "Channels", "Interactors", "Tests", "Tools", "Scripts",
            "LICENSE", "Benchmarks",
        ]
        #expect(Set(names).isSubset(of: allowed), "\(Set(names).subtracting(allowed))")
    }

    @Test("no source file exceeds 300 lines")
    func length() throws {
        for folder in ["CoreAPI", "Channels", "Interactors", "Tools", "Tests", "Benchmarks"] {
            for file in SourceTree.swiftFiles(in: folder) {
                let lines = try String(contentsOfFile: SourceTree.path(file), encoding: .utf8).split(
                    separator: "\n", omittingEmptySubsequences: false
                ).count
                #expect(lines <= 301, "\(file) has \(lines) lines")
            }
        }
    }
}
