import TestSupport

@Suite("A package that uses the kit", .closing, .timeLimit(.minutes(5)))
struct AdoptersPackageTests {
    /// The names that apps give their own targets most.
    private static let names = [
        "Analytics", "API", "App", "AppCore", "Channels", "Client", "Command", "Common", "Core", "Data", "Demo", "DesignSystem",
        "Domain", "Endpoints", "Extensions", "Features", "Fixtures", "Hooks", "Interactors", "Models", "Network", "Networker",
        "Networking", "Persistence", "Programs", "Resources", "Sandbox", "Server", "Services", "Shared", "Storage", "Testing",
        "TestSupport", "Tools", "UI", "Utilities",
    ]

    /// SwiftPM fetches the kit's packages with git, which the Debian root of `Scripts/test --libcurl trixie` lacks.
    @Test("may give its targets the commonest names", .enabled(if: Program.exists("git")))
    func names() async throws {
        let folder = temporaryFile("adopter")
        for name in Self.names {
            let sources = folder.appendingPathComponent("Sources/\(name)")
            try FileManager.default.createDirectory(at: sources, withIntermediateDirectories: true)
            try Data("import CoreAPI\n".utf8).write(to: sources.appendingPathComponent("\(name).swift"))
        }
        // The command's product has the most targets of the kit behind it.
        let products = ["CoreAPI", "NetworkerKitDemo"].map { #".product(name: "\#($0)", package: "NetworkerKit")"# }
            .joined(separator: ", ")
        let targets = Self.names.map { #".target(name: "\#($0)", dependencies: [\#(products)])"# }.joined(separator: ", ")
        let manifest = """
            // swift-tools-version: 6.2
            import PackageDescription

            let package = Package(
                name: "Adopter", platforms: [.macOS(.v15)],
                dependencies: [.package(name: "NetworkerKit", path: "\(SourceTree.root)", traits: [])],
                targets: [\(targets)])
            """
        try Data(manifest.utf8).write(to: folder.appendingPathComponent("Package.swift"))
        let run = try await Program.run(
            ["swift", "package", "--package-path", folder.path, "show-dependencies"], capturesErrors: true)
        #expect(run.status == 0 && !run.text.contains("error:"), "\(run.text)")
        #expect(run.text.contains("swift-http-types"), "\(run.text)")
        // Without its traits the kit brings no package for them.
        for package in ["swift-argument-parser", "OpenCombine", "XMLCoder"] {
            #expect(!run.text.contains(package), "\(run.text)")
        }
    }

    /// Channels and interactors are compiled as two modules of another package.
    @Test("may copy a channel and its interactors: all that they import is a product, and all that they call is public")
    func copiedChannels() async throws {
        let manifest = try String(contentsOfFile: SourceTree.path("Package.swift"), encoding: .utf8)
        let libraries = try #require(manifest.firstMatch(of: /let libraries =\s*\[([^\]]*)\]/)?.output.1)
        let products = Set(libraries.matches(of: /"(\w+)"/).map { String($0.output.1) })
        let channels = SourceTree.folders(in: "Interactors")
        #expect(channels.count > 5)
        for folder in ["Channels/%/Networker", "Interactors/%"] {
            let files = channels.flatMap { SourceTree.swiftFiles(in: folder.replacing("%", with: $0)) }
            for file in files {
                let source = try String(contentsOfFile: SourceTree.path(file), encoding: .utf8)
                for line in source.matches(of: /(?m)^[\w@ ]*import (\w+)/) {
                    let module = String(line.output.1)
                    let isKnown = products.contains(module) || ["Foundation", "HTTPTypes"].contains(module)
                    let isChannels = channels.contains { module == "\($0)Networker" && file.hasPrefix("Interactors/\($0)/") }
                    #expect(isKnown || isChannels, "\(file) imports \(module), which is no product")
                }
            }
            let complaint = try await Compiler.complaint(
                aboutFiles: files.map(SourceTree.path), flags: ["-package-name", "adopter"])
            #expect(complaint == nil)
        }
    }
}
