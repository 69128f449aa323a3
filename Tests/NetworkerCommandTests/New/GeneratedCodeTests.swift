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
        try await expectStyle(package, written.filter { $0.hasSuffix(".swift") } + ["Demo/Channels/EveryChannel.swift"])

        let settings = [
            "ExistentialAny", "InternalImportsByDefault", "MemberImportVisibility", "NonisolatedNonsendingByDefault",
            "InferIsolatedConformances",
        ].flatMap { ["-enable-upcoming-feature", $0] }
        let build = GeneratedBuild(package, settings)
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
            ],
            kit: ["HTTPBinNetworker", "TYNetworker", "NetworkerKitModels"], count: channels * 2 + features * 3 + templates)
    }

    @Test("builds and runs in a package of one's own, without settings, with the files of the tutorial")
    func own() async throws {
        let package = try TemporaryPackage()
        try await package.newChannel(host: "localhost:8080", command: true)
        try package.newFeature(path: "orders")
        try package.newFeature("BK", "Basket", path: "baskets/{basket}/items", method: "POST")
        try package.newFeature("BK", "Book", path: "books/{book_id}")
        for file in try tutorial() { try package.write(file.path, file.text) }
        let build = GeneratedBuild(package, [])
        try await build.module("BKNetworker", in: "Sources/BKNetworker")
        try await build.module("BKInteractors", in: "Sources/BKInteractors")
        try await build.module("bk_networker", in: "Sources/bk-networker")
        try await build.tests(
            package.files.filter { $0.hasPrefix("Tests/") && $0.hasSuffix(".swift") },
            modules: ["BKNetworker", "BKInteractors"], kit: [], count: 2 + 3 * 3 + 2 + 3)
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

    /// Wide names, too, keep the limit of a line.
    private func expectStyle(_ package: TemporaryPackage, _ files: [String]) async throws {
        let configuration = package.root.appendingPathComponent(".swift-format").path
        let paths = files.map { package.root.appendingPathComponent($0).path }
        let lint = try await Program.run(
            ["swift", "format", "lint", "--strict", "--configuration", configuration] + paths, capturesErrors: true)
        #expect(lint.status == 0, "\(lint.text)")
    }
}

/// Compiles modules of a package in its folder `.build`.
private struct GeneratedBuild {
    let package: TemporaryPackage
    let settings: [String]
    private let output: URL
    /// The kit's modules and objects.
    private let built = URL(fileURLWithPath: CommandLine.arguments[0]).resolvingSymlinksInPath().deletingLastPathComponent()

    init(_ package: TemporaryPackage, _ settings: [String]) {
        self.package = package
        self.settings = settings
        output = package.root.appendingPathComponent(".build")
    }

    func module(_ name: String, in folder: String) async throws {
        let sources = package.files.filter { $0.hasPrefix(folder + "/") && $0.hasSuffix(".swift") }
        let products = ["-emit-module", "-emit-module-path", "\(output.path)/\(name).swiftmodule", "-o", object(name)]
        try await compile(["-c", "-module-name", name] + products + settings + paths(sources))
    }

    /// Builds a program of the tests, runs it, and expects that many of them to pass.
    func tests(_ sources: [String], modules: [String], kit: [String], count: Int) async throws {
        let main =
            "import Testing\n@main enum Main { static func main() async { await Testing.__swiftPMEntryPoint() as Never } }\n"
        try package.write(".build/Main.swift", main)
        let program = output.appendingPathComponent("tests").path
        // The objects of this build. Its folders may also have those of files that exist no more.
        let linked = try String(
            contentsOf: built.appendingPathComponent("NetworkerKitPackageTests.product/Objects.LinkFileList"), encoding: .utf8
        ).split(separator: "\n").map(String.init)
        let objects = linked.filter { object in
            let module = URL(fileURLWithPath: object).pathComponents.first { $0.hasSuffix(".build") && $0 != ".build" } ?? ""
            let name = module.dropLast(".build".count)
            return ["CHTTP2Observer", "HTTPTypes", "Logging"].contains(name) || kit.contains(String(name))
                || name.hasPrefix("CoreAPI") && !name.hasSuffix("Tests") && name != "CoreAPIReactive" && name != "CoreAPIXML"
        }
        let list = output.appendingPathComponent("objects.txt")
        try Data(objects.joined(separator: "\n").utf8).write(to: list)
        try await compile(
            ["-module-name", "GeneratedTests", "-o", program, "-lcurl", "-lz", "@\(list.path)"] + modules.map(object) + settings
                + paths(sources + [".build/Main.swift"]))
        let run = try await Program.run([program, "--testing-library", "swift-testing"], capturesErrors: true)
        #expect(run.status == 0, "\(run.text)")
        #expect(run.text.contains("Test run with \(count) tests"), "\(run.text)")
    }

    private func compile(_ arguments: [String]) async throws {
        let maps = ["CCurl", "CHTTP2Observer/include", "CZlib"].flatMap {
            ["-Xcc", "-fmodule-map-file=\(TemporaryPackage.kit.path)/CoreAPI/\($0)/module.modulemap"]
        }
        let common = [
            "swiftc", "-wmo", "-parse-as-library", "-swift-version", "6", "-warnings-as-errors",
            // The first one hides the kit's own module of that name.
            "-I", output.path, "-I", built.appendingPathComponent("Modules").path,
        ]
        try FileManager.default.createDirectory(at: output, withIntermediateDirectories: true)
        let run = try await Program.run(common + sanitizer + maps + arguments, capturesErrors: true)
        try #require(run.status == 0, "\(run.text)")
    }

    /// The kit's objects refer to the sanitizer of this process.
    private var sanitizer: [String] {
        for (symbol, name) in [("__asan_init", "address"), ("__tsan_init", "thread")] where dlsym(nil, symbol) != nil {
            return ["-sanitize=\(name)"]
        }
        return []
    }

    private func object(_ module: String) -> String { "\(output.path)/\(module).o" }
    private func paths(_ files: [String]) -> [String] { files.map { package.root.appendingPathComponent($0).path } }
}
