import TestSupport

@testable import NetworkerCommand

@Suite("networker new channel", .timeLimit(.minutes(2)))
struct NewChannelTests {
    private static let targets = ["BKNetworker", "BKInteractors", "BKInteractorsTests"]
    private static var good: DumpRun {
        TemporaryPackage.dumps(TemporaryPackage.dumped(), TemporaryPackage.dumped(targets: targets))
    }

    /// The rejection of a new channel; the package is as it was.
    private func rejection(
        in package: TemporaryPackage, _ name: String = "BK", kit: String? = TemporaryPackage.kit.path, command: Bool = false,
        dump: @escaping DumpRun = good
    ) async throws -> Rejection? {
        try await rejection(package) { try await package.newChannel(name, kit: kit, command: command, dump: dump) }
    }

    private func rejection(_ package: TemporaryPackage, _ change: () async throws -> Void) async throws -> Rejection? {
        let before = package.files.map { ($0, try? package.text($0)) }
        let rejection = await #expect(throws: Rejection.self) { try await change() }
        let after = package.files.map { ($0, try? package.text($0)) }
        #expect(before.map(\.0) == after.map(\.0) && before.map(\.1) == after.map(\.1))
        let folders = try FileManager.default.contentsOfDirectory(atPath: package.root.path)
        #expect(!folders.contains("Tests"))
        return rejection
    }

    @Test("lists each file, and the two commands that come next")
    func report() async throws {
        let package = try TemporaryPackage()
        let report = try await package.newChannel(dump: Self.good)
        #expect(
            report.text == """
                changed  Package.swift
                wrote    Sources/BKNetworker/BKNetworker.swift
                wrote    Sources/BKInteractors/BKInteractors.swift
                wrote    Tests/BKInteractorsTests/BKChannelTests.swift
                wrote    Tests/BKInteractorsTests/Fixtures/bk-rejection/rejection.http

                Next:
                  swift test --filter BK
                  networker new feature BK OrderList --path orders
                """)
        #expect(package.files == (report.written + report.changed).sorted())
        #expect(report.notes.contains { $0.hasPrefix("--with-command would have written a command") }, "\(report.notes)")
    }

    @Test(
        "takes the host as it is typed, and allows clear text only where it is typed",
        arguments: [
            (nil, "\"https://api.bk.example\""), ("https://api.books.example/v1/", "\"https://api.books.example/v1\""),
            ("api.books.example/v1", "\"https://api.books.example/v1\""),
            (":8080", "APIEnvironment(baseURL: \"http://localhost:8080\", allowsInsecureConnections: true)"),
        ])
    func host(typed: String?, code: String) throws {
        let package = try TemporaryPackage()
        let template = try ChannelTemplate(ChannelName("BK"), title: #"The "B" \ K"#, host: typed)
        let source = template.files(in: try PackageFolder(package.root))[0].text
        #expect(source.contains("hosts: [.production: \(code)]"), "\(source)")
        #expect(source.contains(#""BK", "The \"B\" \\ K","#))
    }

    @Test(
        "rejects a host that is none",
        arguments: ["https://", "books", "ftp://x.example", "https://x.example/?a=b", "https://u:p@x.example"])
    func wrongHost(host: String) {
        let rejection = #expect(throws: Rejection.self) { try ChannelTemplate(ChannelName("BK"), title: nil, host: host) }
        #expect(rejection?.cause.hasPrefix("expected a base URL after --host, got ") == true)
    }

    @Test("rejects a title of several lines", arguments: ["", "a\nb", String(repeating: "x", count: 61)])
    func wrongTitle(title: String) {
        #expect(throws: Rejection.self) { try ChannelTemplate(ChannelName("BK"), title: title, host: nil) }
    }

    @Test("without a manifest there is nothing to add to")
    func noManifest() async throws {
        let package = try TemporaryPackage(nil)
        let rejection = try await rejection(package) { try await package.newChannel() }
        #expect(rejection?.cause == "there is no Package.swift in this folder")
        #expect(rejection?.advice.contains("swift package init") == true)
    }

    @Test("asks for the kit's place, and rejects a wrong one")
    func kit() async throws {
        let package = try TemporaryPackage()
        let missing = try await rejection(in: package, kit: nil)
        #expect(missing?.cause == "Package.swift has no dependency on NetworkerKit")
        #expect(missing?.advice == "say where the kit is: --kit ../NetworkerKit, or --kit https://… for a repository")
        let wrong = try await rejection(in: package, kit: "../nowhere")
        #expect(wrong?.cause == "expected the folder of NetworkerKit after --kit, got '../nowhere'")
        let tools = try await rejection(in: package, dump: TemporaryPackage.dumps(TemporaryPackage.dumped(tools: "5.9.0")))
        #expect(tools?.cause == "Package.swift has swift-tools-version 5.9.0; a dependency with traits needs 6.1")
    }

    @Test("uses the dependency that is there, under its name")
    func knownKit() async throws {
        let url =
            #"{"sourceControl": [{"identity": "networkerkit", "location": {"remote": [{"urlString": "#
            + #""https://git.example/NetworkerKit.git"}]}, "traits": []}]}"#
        let dump = TemporaryPackage.dumps(
            TemporaryPackage.dumped(dependency: url), TemporaryPackage.dumped(targets: Self.targets, dependency: url))
        let package = try TemporaryPackage()
        try await package.newChannel(kit: nil, dump: dump)
        let manifest = try package.text("Package.swift")
        #expect(manifest.contains(".product(name: \"CoreAPI\", package: \"NetworkerKit\")"))
        #expect(!manifest.contains(".package("))
        let other = try TemporaryPackage()
        let known = TemporaryPackage.dumps(TemporaryPackage.dumped(dependency: url))
        #expect(try await rejection(in: other, dump: known)?.advice == "leave out --kit")
        let trait = try await rejection(in: other, kit: nil, command: true, dump: known)
        #expect(trait?.cause == "the dependency on NetworkerKit in Package.swift lacks the trait Command")
    }

    @Test(
        "overwrites no file, and rejects sources that SwiftPM would reject",
        arguments: [
            ("Sources/BKInteractors/BKInteractors.swift", "Sources/BKInteractors/BKInteractors.swift exists already"),
            ("Sources/BKInteractors", "Sources/BKInteractors is a file, not a folder"),
            ("Sources/main.swift", "Sources has Swift files beside folders"),
        ])
    func existing(path: String, cause: String) async throws {
        let package = try TemporaryPackage()
        try package.write(path, "// mine\n")
        #expect(try await rejection(in: package)?.cause.hasPrefix(cause) == true)
    }

    @Test("rejects a channel and targets that exist")
    func existingTargets() async throws {
        let package = try TemporaryPackage()
        let dump = TemporaryPackage.dumps(TemporaryPackage.dumped(targets: ["BKInteractors"]))
        #expect(try await rejection(in: package, dump: dump)?.cause == "Package.swift has a target BKInteractors already")
        for module in ["BKNetworker", "BKInteractors"] { try package.write("Sources/\(module)/A.swift", "") }
        #expect(try await rejection(in: package, "Bk")?.cause == "the channel BK exists already")
        let late = try await rejection(in: package, command: true)
        #expect(late?.advice.contains("NetworkerCommand.main(channels: [.bk])") == true)
    }

    @Test("a manifest that cannot be edited stays, and the lines to paste are shown")
    func uneditable() async throws {
        let package = try TemporaryPackage(
            "// swift-tools-version: 6.2\nlet all = []\nlet package = Package(name: \"P\", targets: all)\n")
        let rejection = try await rejection(in: package)
        #expect(rejection?.cause == "cannot edit Package.swift: the value of 'targets' does not begin with '['")
        let lines = try #require(rejection?.lines)
        for line in [
            "    .package(name: \"NetworkerKit\", path: \"\(TemporaryPackage.kit.path)\", traits: []),",
            "    .library(name: \"BKNetworker\", targets: [\"BKNetworker\"]),",
            "    .target(name: \"BKNetworker\", dependencies: [.product(name: \"CoreAPI\", package: \"NetworkerKit\")]),",
            "    .macOS(.v15),",
        ] { #expect(lines.contains(line), "\(line)") }
    }

    @Test("an edit that SwiftPM cannot read, or that lacks a target, is taken back")
    func broken() async throws {
        let package = try TemporaryPackage()
        let error = TemporaryPackage.dumps(TemporaryPackage.dumped(), "x\nPackage.swift:3: error: no")
        let unreadable = try await rejection(in: package, dump: error)
        #expect(unreadable?.cause == "'swift package dump-package' cannot read Package.swift: Package.swift:3: error: no")
        #expect(unreadable?.lines.isEmpty == false)
        let lacking = try await rejection(in: package, dump: TemporaryPackage.dumps(TemporaryPackage.dumped()))
        #expect(lacking?.cause == "Package.swift, as edited, has no target BKNetworker")
    }

    @Test("a file that cannot be written takes back the others and the manifest")
    func unwritable() async throws {
        let package = try TemporaryPackage()
        try package.write("Sources/BKNetworker/other.txt", "mine\n")
        let folder = try PackageFolder(package.root)
        let files = [("Sources/A/A.swift", ""), ("Sources/BKNetworker/other.txt", "")].map { NewFiles.File(path: $0, text: $1) }
        // Without `check`, as if the file had appeared in between.
        let rejection = try await rejection(package) { try NewFiles(root: folder.root, files: files).write() }
        #expect(rejection?.cause.hasPrefix("cannot write Sources/BKNetworker/other.txt: ") == true)
        #expect(!FileManager.default.fileExists(atPath: package.root.appendingPathComponent("Sources/A").path))
    }

    @Test(
        "a name that a target of the kit, or of this copy of it, has is rejected, because SwiftPM would not resolve the package",
        arguments: [("TY", "TY"), ("ID", "ID"), ("Giphy", "GIPHY"), ("OWN", "OWN")])
    func namesOfKit(name: String, known: String) async throws {
        let copy = try TemporaryPackage.kitCopy()
        for file in ["Channels/OWN/Networker/A.swift", "Interactors/OWN/A.swift"] { try copy.write(file, "") }
        let rejection = try await rejection(in: TemporaryPackage(), name, kit: copy.root.path)
        let targets = "\(known)Networker and \(known)Interactors"
        #expect(rejection?.cause == "the kit has the targets \(targets), and SwiftPM allows each name once")
        #expect(rejection?.advice.contains("the kit's examples have DL, GIPHY, HTTPBin, ID, ML") == true)
    }

    @Test("the rejected names are those of the kit's channels and errors")
    func takenNames() throws {
        #expect(try PackageFolder(TemporaryPackage.kit).channels == NewChannel.channelsOfKit.sorted())
        let api = TemporaryPackage.kit.appendingPathComponent("docs/api")
        let texts = try FileManager.default.contentsOfDirectory(at: api, includingPropertiesForKeys: nil).map {
            try String(contentsOf: $0, encoding: .utf8)
        }
        let errors = texts.flatMap {
            $0.matches(of: /(?m)^(?:class|enum|protocol|struct) (\w+)Error\t/).map { String($0.output.1) }
        }
        #expect(ChannelName.errorsOfKit == Set(errors.filter { $0.count <= 12 }))
        for error in ChannelName.errorsOfKit { #expect(throws: Rejection.self) { try ChannelName(error) } }
    }

    @Test(
        "a target or product that the package has already is rejected, whatever its case",
        arguments: [
            ("targets", "BKNetworker", "a target"), ("targets", "bkInteractors", "a target"),
            ("targets", "bk_networker", "a target"), ("products", "BKNetworker", "a product"),
        ])
    func ownNames(kind: String, name: String, what: String) async throws {
        let dumped = TemporaryPackage.dumped().replacing("\"\(kind)\": []", with: "\"\(kind)\": [{\"name\": \"\(name)\"}]")
        let rejection = try await rejection(in: TemporaryPackage(), command: true, dump: TemporaryPackage.dumps(dumped))
        #expect(rejection?.cause == "Package.swift has \(what) \(name) already")
    }

    @Test("says which platforms the package lacks")
    func platforms() async throws {
        let old = #"{"platformName": "macos", "version": "13.0"}, {"platformName": "ios", "version": "18.0"}"#
        let dump = TemporaryPackage.dumps(
            TemporaryPackage.dumped(platforms: old), TemporaryPackage.dumped(targets: Self.targets, platforms: old))
        let report = try await TemporaryPackage().newChannel(dump: dump)
        #expect(report.notes.first == "the kit needs .macOS(.v15); write it into the platforms of Package.swift")
    }

    @Test("the kit's repository needs neither --kit nor a command")
    func optionsOfOthers() async throws {
        let package = try TemporaryPackage("let package = Package(name: \"NetworkerKit\")\nlet channels = [\"TY\"]\n")
        let rejection = try await rejection(in: package)
        #expect(rejection?.cause == "--kit is for a package of one's own; this is the kit's repository")
    }

    @Test("the built command rejects with exit code 64, cause and advice on standard error, and nothing on standard output")
    func process() async throws {
        let package = try TemporaryPackage()
        let command = BuiltCommand.path
        func run(_ words: String) async throws -> Program.Outcome {
            let script =
                "cd \"$1\" && \"$2\" new \(words) 2>errors.txt; status=$?; echo; cat errors.txt; rm errors.txt; exit $status"
            return try await Program.run(["sh", "-c", script, "sh", package.root.path, command])
        }
        let capital = "expected a channel's name of at most 12 letters and digits with a capital first, such as BK, got 'bk'"
        for (words, cause, advice) in [
            ("channel bk", capital, "write BK"),
            (
                "feature BK OrderList", "unknown channel 'BK'; this package has none",
                "make it first: \(command) new channel BK"
            ),
        ] {
            let wrong = try await run(words)
            #expect(wrong.status == 64 && wrong.text == "\nerror: \(cause)\nhint: \(advice)\n")
        }
        // The command's own way to SwiftPM, too.
        let made = try await run("channel BK --kit '\(TemporaryPackage.kit.path)'")
        #expect(made.status == 0, "\(made.text)")
        #expect(made.text.hasPrefix("changed  Package.swift\nwrote    Sources/BKNetworker/BKNetworker.swift\n"), "\(made.text)")
        // As it was typed: the package here has no such executable.
        #expect(made.text.contains("\n  \(command) new feature BK OrderList --path orders\n"), "\(made.text)")
        let manifest = try await TemporaryPackage.dump(package.root)
        #expect(manifest.status == 0, "\(manifest.errors)")
    }
}
