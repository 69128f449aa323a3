import TestSupport

@testable import NetworkerCommand

/// Compiles what `networker new` writes against the built kit, module by module, and runs the written tests. `Scripts/template`
/// does the same with SwiftPM alone, in minutes.
@Suite("Code that networker new writes", .serialized, .timeLimit(.minutes(5)))
struct GeneratedCodeTests {
    @Test("builds and runs in this repository, with its settings and in its style")
    func kit() async throws {
        let package = try TemporaryPackage.kitCopy()
        let known = Dictionary(uniqueKeysWithValues: package.files.map { ($0, try? package.text($0)) })
        try await package.newChannel("XBK", host: "https://api.books.example/v1", kit: nil)
        try package.newFeature("XBK", path: "orders?page=1")
        try package.newFeature("XBK", "Basket", method: "POST")
        try package.newFeature("XBK", "Default", path: "books/{in}", method: "DELETE")
        // Another channel's property, another channel's envelope.
        try package.newFeature("HTTPBin", "OrderList")
        try package.newFeature("TY", "BasketOfTheWholeMarkets1", method: "PATCH")
        // The widest lines.
        try await package.newChannel("RestaurantsX", kit: nil)
        let path = "menus/{menu}/days/{theDayOfThe}/orders/{order-id}"
        try package.newFeature("RestaurantsX", "MenusOfTodayAndTomorrow1", path: path, method: "PUT")
        #expect(try package.text("Package.swift").contains(#", "XBK", "RestaurantsX"]"#))
        let written = package.files.filter { known[$0] == nil }
        let changed = known.filter { (try? package.text($0.key)) != $0.value }.map(\.key).sorted()
        #expect(changed == ["Demo/Channels/EveryChannel.swift", "Package.swift"])
        let every = try package.text("Demo/Channels/EveryChannel.swift")
        #expect(every.contains("\ninternal import TYNetworker\ninternal import XBKNetworker\n"), "\(every)")
        #expect(
            every.contains("{ GIPHYNetworker() },\n    { XBKNetworker() },\n    { RestaurantsXNetworker() },\n]\n"), "\(every)")
        let channels = 2, features = 6, templates = 2
        #expect(written.count == channels * 4 + features * 5)
        // Wide names, too, keep the limit of a line.
        let sources = written.filter { $0.hasSuffix(".swift") } + ["Demo/Channels/EveryChannel.swift", ".swift-format"]
        let paths = sources.map { package.root.appendingPathComponent($0).path }
        let format = ["swift", "format", "lint", "--strict", "--configuration", paths.last ?? ""] + paths.dropLast()
        let lint = try await Program.run(format, capturesErrors: true)
        #expect(lint.status == 0, "\(lint.text)")

        let settings = [
            "ExistentialAny", "InternalImportsByDefault", "MemberImportVisibility", "NonisolatedNonsendingByDefault",
            "InferIsolatedConformances",
        ].flatMap { ["-enable-upcoming-feature", $0] }
        let build = try GeneratedBuild(package, settings)
        for channel in ["XBK", "RestaurantsX"] {
            try await build.module("\(channel)Networker", in: "Channels/\(channel)/Networker")
        }
        for channel in ["XBK", "RestaurantsX", "HTTPBin", "TY"] {
            try await build.module("\(channel)Interactors", in: "Interactors/\(channel)")
        }
        try await build.tests(
            written.filter { $0.hasPrefix("Tests/") && $0.hasSuffix(".swift") },
            modules: [
                "XBKNetworker", "XBKInteractors", "RestaurantsXNetworker", "RestaurantsXInteractors", "HTTPBinInteractors",
                "TYInteractors",
            ], count: channels * 2 + features * 3 + templates)
    }

    @Test("builds and runs in a package of one's own, without settings, with the files of the tutorial")
    func own() async throws {
        let package = try TemporaryPackage()
        try await package.newChannel(host: "localhost:8080", command: true)
        try package.newFeature(path: "orders")
        try package.newFeature("BK", "Basket", path: "baskets/{basket}/items", method: "POST")
        try package.newFeature("BK", "Book", path: "books/{book_id}")
        for file in try tutorial() { try package.write(file.path, file.text) }
        let build = try GeneratedBuild(package, [])
        try await build.module("BKNetworker", in: "Sources/BKNetworker")
        try await build.module("BKInteractors", in: "Sources/BKInteractors")
        try await build.module("bk_networker", in: "Sources/bk-networker")
        try await build.tests(
            package.files.filter { $0.hasPrefix("Tests/") && $0.hasSuffix(".swift") },
            modules: ["BKNetworker", "BKInteractors"], count: 2 + 3 * 3 + 2 + 3)
    }

    /// The files that the tutorial shows: the line before each has its path.
    private func tutorial() throws -> [NewFiles.File] {
        let page = TemporaryPackage.kit.appendingPathComponent("CoreAPI/Umbrella/CoreAPI.docc/Tutorial.md")
        let text = try String(contentsOf: page, encoding: .utf8)
        let files = text.matches(of: /\n`([^`\n]+)`:\n\n```\w+\n([\s\S]*?)```/).map {
            NewFiles.File(path: String($0.output.1), text: String($0.output.2))
        }
        try #require(files.count { $0.path.hasSuffix(".swift") } == text.matches(of: /```swift/).count)
        return files
    }
}

/// Compiles modules of a package in its folder `.build`.
private struct GeneratedBuild {
    let package: TemporaryPackage
    let settings: [String]
    private let output: URL

    init(_ package: TemporaryPackage, _ settings: [String]) throws {
        self.package = package
        self.settings = settings
        output = package.root.appendingPathComponent(".build")
        try FileManager.default.createDirectory(at: output, withIntermediateDirectories: true)
    }

    func module(_ name: String, in folder: String) async throws {
        let sources = package.files.filter { $0.hasPrefix(folder + "/") && $0.hasSuffix(".swift") }
        let products = ["-emit-module", "-emit-module-path", "\(output.path)/\(name).swiftmodule", "-o", object(name)]
        try await compile(["-wmo", "-parse-as-library", "-c", "-module-name", name] + products, sources)
    }

    /// Builds a program of the tests, runs it, and expects that many of them to pass.
    func tests(_ sources: [String], modules: [String], count: Int) async throws {
        let program = output.appendingPathComponent("tests").path
        let arguments = try Compiler.testProgram(in: output, replacing: modules)
        try await compile(["-module-name", "GeneratedTests", "-o", program] + arguments + modules.map(object), sources)
        let run = try await Program.run([program, "--testing-library", "swift-testing"], capturesErrors: true)
        #expect(run.status == 0, "\(run.text)")
        #expect(run.text.contains("Test run with \(count) tests"), "\(run.text)")
    }

    private func compile(_ arguments: [String], _ sources: [String]) async throws {
        let files = sources.map { package.root.appendingPathComponent($0).path }
        let run = try await Compiler.run(["-warnings-as-errors", "-I", output.path] + arguments + settings + files)
        try #require(run.status == 0, "\(run.text)")
    }

    private func object(_ module: String) -> String { "\(output.path)/\(module).o" }
}
