import TestSupport

/// The Markdown files of the repository, apart from the documentation's catalog.
@Suite("The repository's pages")
struct RepositoryPagesTests {
    private static let pages = ["README.md", "CONTRIBUTING.md", "CHANGELOG.md", "SECURITY.md"] + decisions

    private static var decisions: [String] {
        let folder = Documentation.root.appendingPathComponent("docs/decisions").path
        let names = (try? FileManager.default.contentsOfDirectory(atPath: folder)) ?? []
        return names.filter { $0.hasSuffix(".md") }.sorted().map { "docs/decisions/\($0)" }
    }

    private static func exists(_ path: String) -> Bool {
        FileManager.default.fileExists(atPath: Documentation.root.appendingPathComponent(path).standardizedFileURL.path)
    }

    private static func isExecutable(_ path: String) -> Bool {
        FileManager.default.isExecutableFile(atPath: Documentation.root.appendingPathComponent(path).path)
    }

    /// The anchors of a page's headings.
    private static func anchors(_ page: String) throws -> Set<String> {
        let headings = try Documentation.text(page).matches(of: /(?:^|\n)#+ ([^\n]+)/).map(\.output.1)
        return Set(
            headings.map { heading in
                heading.lowercased().filter { $0.isLetter || $0.isNumber || " -".contains($0) }.replacing(" ", with: "-")
            })
    }

    @Test("link to files and headings that exist", arguments: pages)
    func links(page: String) throws {
        let text = try Documentation.text(page).replacing(/```[\s\S]*?```/, with: "")
        let folder = page.split(separator: "/").dropLast().map { "\($0)/" }.joined()
        for match in text.matches(of: /\]\(([^)#\s]*)#?([^)\s]*)\)/) where !match.output.1.contains("://") {
            let (file, anchor) = (String(match.output.1), String(match.output.2))
            let target = file.isEmpty ? page : folder + file
            #expect(Self.exists(target), "\(target)")
            guard !anchor.isEmpty else { continue }
            #expect(try Self.anchors(target).contains(anchor), "\(target) has no heading #\(anchor)")
        }
    }

    /// A placeholder, `<C>`, ends the part of a path that is looked up.
    @Test("name files, folders and suites of tests that exist", arguments: pages)
    func paths(page: String) throws {
        let text = try Documentation.text(page).replacing(/```[\s\S]*?```/, with: "")
        let top = /^(?:\.ci|Benchmarks|Channels|CoreAPI|Interactors|Command|Plugins|Scripts|Tests|Tools|docs)\//
        for span in text.matches(of: /`([^`\n]+)`/).map(\.output.1) where span.firstMatch(of: top) != nil {
            var path = span.prefix { !$0.isWhitespace && $0 != "<" && $0 != "*" }
            if path.endIndex < span.endIndex, span[path.endIndex] != " " {
                path = path.prefix(through: path.lastIndex(of: "/") ?? path.startIndex)
            }
            #expect(Self.exists(String(path)), "\(span)")
        }
        let tests = FileManager.default.enumerator(atPath: Documentation.root.appendingPathComponent("Tests").path)
        let names = Set(tests?.compactMap { ($0 as? String)?.split(separator: "/").last.map(String.init) } ?? [])
        for suite in text.matches(of: /\b[A-Z]\w+Tests\b/).map(\.output) {
            #expect(names.contains("\(suite)") || names.contains("\(suite).swift"), "\(suite)")
        }
    }

    @Test("name scripts that can be run, with options that they know", arguments: pages)
    func commands(page: String) throws {
        let text = try Documentation.text(page)
        for match in text.matches(of: /(Scripts\/[a-z]+)([^`#|\n]*)/) {
            let script = String(match.output.1)
            #expect(Self.isExecutable(script), "\(match.output.0)")
            let source = try Documentation.text(script)
            for option in match.output.2.matches(of: /--[a-z-]+/).map(\.output) {
                // These pass their options on to the command.
                let isPassedOn = ["Scripts/demo", "Scripts/networker"].contains(script)
                #expect(isPassedOn || source.contains("\(option)"), "\(match.output.0)")
            }
        }
        #expect(Self.isExecutable(".ci/run"))
    }

    @Test("the changelog's topmost version is the kit's, a semantic version, and the one that the pages install")
    func version() throws {
        let changelog = try Documentation.text("CHANGELOG.md")
        let version = try #require(changelog.firstMatch(of: /\n## \[(\d+\.\d+\.\d+)\]/)?.output.1)
        #expect(version == CurlTransport.kitVersion)
        for page in ["README.md", "CoreAPI/Umbrella/CoreAPI.docc/GettingStarted.md"] {
            #expect(try Documentation.text(page).contains("NetworkerKit.git\", from: \"\(version)\""), "\(page)")
        }
    }

    @Test(".spi.yml documents the products that users choose, and the modules that CoreAPI re-exports")
    func documented() throws {
        let libraries = try #require(
            try Documentation.text("Package.swift").firstMatch(of: /let libraries =\n    \[([^\]]*)\]/)?.output.1)
        let products = libraries.matches(of: /"(\w+)"/).map { String($0.output.1) }
        let umbrella = try Documentation.text("CoreAPI/Umbrella/CoreAPI.swift")
        let exported = umbrella.matches(of: /@_exported public import (CoreAPI\w+)/).map { String($0.output.1) }
        let documented = try Documentation.text(".spi.yml").matches(of: /\n {8}- (\w+)/).map { String($0.output.1) }
        #expect(Set(documented).count == documented.count)
        #expect(Set(documented) == Set(products + exported).subtracting(["NetworkerKitModels"]))
    }
}
