import CoreAPI
import Foundation

/// Writes a channel into a package.
struct NewChannel: Sendable {
    let folder: PackageFolder
    let template: ChannelTemplate
    /// The kit's path or URL, for a package that does not have it yet.
    let kit: String?
    let hasCommand: Bool
    var dump: DumpRun = dumpPackage

    private var channel: String { template.name.text }

    /// - Returns: what was done, and what comes next.
    /// - Throws: ``Rejection``; then nothing has changed.
    func write() async throws -> NewReport {
        if let known = folder.channels.first(where: { $0.lowercased() == channel.lowercased() }) {
            throw Rejection(
                "the channel \(known) exists already",
                do: hasCommand
                    ? "--with-command is for a new channel; for this one, write an executable that calls "
                        + "NetworkerCommand.main(channels: [.\(template.name.property)])"
                    : "add a feature to it, or choose another name")
        }
        if !folder.isKit, folder.hasLooseSources {
            throw Rejection(
                "\(folder.sources) has Swift files beside folders, which SwiftPM allows only in a package with one target",
                do: "move them into \(folder.sources)/<name of the target>, and repeat the command")
        }
        let before = try await DumpedManifest.read(in: folder.root, by: dump)
        let command = hasCommand ? "\(channel.lowercased())-networker" : nil
        try checkNames(targets + (command.map { [$0] } ?? []), before)
        let edit = try folder.isKit ? editOfKit(command) : edit(before, command)
        let files = NewFiles(root: folder.root, files: template.files(in: folder) + program(command))
        try files.check()
        try await change(manifest: edit, then: files)
        return report(files, edit.other?.path, command, before)
    }

    private var targets: [String] {
        ["\(channel)Networker", "\(channel)Interactors"] + (folder.isKit ? [] : ["\(channel)InteractorsTests"])
    }

    /// SwiftPM wants each name of a target once among all packages, and each module once. It would say so only later.
    private func checkNames(_ new: [String], _ before: DumpedManifest) throws {
        let own = before.targets.map { ("a target", $0.name) } + before.products.map { ("a product", $0.name) }
        for name in new {
            if let (kind, taken) = own.first(where: { $0.1.moduleName == name.moduleName }) {
                throw Rejection("Package.swift has \(kind) \(taken) already", do: "choose another name for the channel")
            }
        }
        guard !folder.isKit else { return }
        let local = before.kit(inPackageAt: folder.root)?.folder ?? kit.map { URL(fileURLWithPath: $0, relativeTo: folder.root) }
        let channels = local.flatMap { try? PackageFolder($0) }.map { $0.isKit ? $0.channels : [] } ?? []
        let taken = Self.channelsOfKit + channels
        guard let clash = taken.first(where: { $0.lowercased() == channel.lowercased() }) else { return }
        throw Rejection(
            "the kit has the targets \(clash)Networker and \(clash)Interactors, and SwiftPM allows each name once",
            do: "choose another name; the kit's examples have \(Set(taken).sorted().joined(separator: ", "))")
    }

    /// The example channels, which are products of the kit.
    static let channelsOfKit = ["TY", "DL", "ML", "ID", "HTTPBin", "GIPHY"]

    private func program(_ command: String?) -> [NewFiles.File] {
        command.map { [.init(path: folder.command($0), text: template.program)] } ?? []
    }

    // MARK: - The manifest

    /// Elements of the manifest, by the argument of `Package` that they belong to.
    private struct Edit {
        var additions: [(label: String, elements: [String])] = []
        var text: String
        /// The new text of another file, by its path.
        var other: (path: String, text: String)?

        /// For a manifest that cannot be edited.
        var lines: [String] {
            additions.flatMap { addition in
                ["\(addition.label): ["] + addition.elements.map { $0.indented(by: 4) + "," } + ["]"]
            }
        }
    }

    private func editOfKit(_ command: String?) throws -> Edit {
        guard kit == nil, command == nil else {
            throw Rejection(
                "\(kit == nil ? "--with-command" : "--kit") is for a package of one's own; this is the kit's repository",
                do: "leave it out; the command here finds the channel by its name")
        }
        var text = ManifestText(folder.manifest)
        do {
            try text.add("\"\(channel)\"", toConstant: "channels")
        } catch {
            throw Rejection("cannot edit Package.swift: \(error.reason)", do: "add \"\(channel)\" to its list of channels")
        }
        return Edit(additions: [("channels", ["\"\(channel)\""])], text: text.text, other: try editOfEveryChannel())
    }

    /// The kit's list of networkers, from which its command knows the channels.
    private func editOfEveryChannel() throws -> (path: String, text: String) {
        let path = "Demo/Channels/EveryChannel.swift"
        var lines = (try? folder.text(path)).map { $0.components(separatedBy: "\n") } ?? []
        let new = "internal import \(channel)Networker"
        let isImport = { (line: String) in line.hasPrefix("internal import ") && line.hasSuffix("Networker") }
        guard let last = lines.lastIndex(where: isImport), let end = lines[last...].firstIndex(of: "]") else {
            throw Rejection(
                "cannot edit \(path): expected imports and the array 'everyNetworker'",
                do: "mend the file, and repeat the command")
        }
        lines.insert("    { \(channel)Networker() },", at: end)
        lines.insert(new, at: lines.firstIndex { isImport($0) && $0 > new } ?? last + 1)
        return (path, lines.joined(separator: "\n"))
    }

    private func edit(_ before: DumpedManifest, _ command: String?) throws -> Edit {
        var edit = Edit(text: folder.manifest)
        var kit = before.kit(inPackageAt: folder.root)
        if kit == nil {
            let (dependency, line) = try newDependency(before, command)
            edit.additions.append(("dependencies", [line]))
            kit = dependency
        } else if self.kit != nil {
            throw Rejection("Package.swift has the kit already", do: "leave out --kit")
        }
        guard let kit else { return edit }
        guard command == nil || kit.hasCommand else {
            throw Rejection(
                "the dependency on \(kit.package) in Package.swift lacks the trait Command",
                do: "write traits: [\"Command\"] there, and repeat the command")
        }
        if before.platforms.isEmpty { edit.additions.append(("platforms", before.missingPlatforms)) }
        edit.additions.append(
            ("products", targets.prefix(2).map { ".library(name: \"\($0)\", targets: [\"\($0)\"])" }))
        edit.additions.append(("targets", targetCode(kit, command)))
        var text = ManifestText(folder.manifest)
        do {
            for (label, elements) in edit.additions { try text.add(elements, to: label) }
        } catch {
            throw Rejection(
                "cannot edit Package.swift: \(error.reason)", do: "add these elements yourself; nothing was written",
                lines: edit.lines)
        }
        edit.text = text.text
        return edit
    }

    private func newDependency(_ before: DumpedManifest, _ command: String?) throws -> (KitDependency, line: String) {
        guard let kit else {
            throw Rejection(
                "Package.swift has no dependency on NetworkerKit",
                do: "say where the kit is: --kit ../NetworkerKit, or --kit https://… for a repository")
        }
        let version = before.toolsVersion._version.split(separator: ".").compactMap { Int($0) }
        guard version.count >= 2, (version[0], version[1]) >= (6, 1) else {
            throw Rejection(
                "Package.swift has swift-tools-version \(before.toolsVersion._version); a dependency with traits needs 6.1",
                do: "write // swift-tools-version: 6.2 in its first line, and repeat the command")
        }
        let traits = command == nil ? "[]" : "[\"Command\"]"
        let dependency: KitDependency
        let place: String
        if kit.contains("://") || kit.hasPrefix("git@") {
            dependency = KitDependency(package: KitDependency.name(ofURL: kit), traits: command == nil ? [] : ["Command"])
            place = "url: \"\(kit)\", branch: \"main\""
        } else {
            guard PackageFolder.isKit(URL(fileURLWithPath: kit, relativeTo: folder.root)) else {
                throw Rejection(
                    "expected the folder of NetworkerKit after --kit, got '\(kit.escapingControls)'",
                    do: "give the folder with the kit's Package.swift, or the URL of its repository")
            }
            dependency = KitDependency(package: "NetworkerKit", traits: command == nil ? [] : ["Command"])
            place = "name: \"NetworkerKit\", path: \"\(kit)\""
        }
        guard !kit.contains(where: { "\"\\".contains($0) }), kit == kit.escapingControls else {
            throw Rejection("expected a place without quotes and backslashes after --kit", do: "move the kit, or link to it")
        }
        return (dependency, ".package(\(place), traits: \(traits))")
    }

    private func targetCode(_ kit: KitDependency, _ command: String?) -> [String] {
        let core = kit.product("CoreAPI")
        var targets = [
            ".target(name: \"\(channel)Networker\", dependencies: [\(core)])",
            ".target(name: \"\(channel)Interactors\", dependencies: [\"\(channel)Networker\", \(core)])",
            """
            .testTarget(
                name: "\(channel)InteractorsTests",
                dependencies: [
                    "\(channel)Interactors", "\(channel)Networker", \(core),
                    \(kit.product("CoreAPITesting")),
                ],
                exclude: ["Fixtures"])
            """,
        ]
        if let command {
            targets.append(
                """
                .executableTarget(
                    name: "\(command)",
                    dependencies: ["\(channel)Networker", \(kit.product("NetworkerCommand"))])
                """)
        }
        return targets
    }

    /// The manifest first, because it can be rejected. Afterwards SwiftPM reads it, and it must have the new targets.
    private func change(manifest edit: Edit, then files: NewFiles) async throws {
        let url = folder.root.appendingPathComponent("Package.swift")
        let other = edit.other.map { (url: folder.root.appendingPathComponent($0.path), old: try? folder.text($0.path)) }
        do {
            do {
                try Data(edit.text.utf8).write(to: url, options: .atomic)
                if let new = edit.other, let other { try Data(new.text.utf8).write(to: other.url, options: .atomic) }
            } catch {
                throw Rejection("cannot write Package.swift: \(error.systemReason)", do: "mend that, and repeat the command")
            }
            do {
                let after = try await DumpedManifest.read(in: folder.root, by: dump)
                let names = Set(after.targets.map(\.name))
                if let missing = targets.first(where: { !names.contains($0) }) {
                    throw Rejection("Package.swift, as edited, has no target \(missing)", do: "")
                }
            } catch let rejection as Rejection {
                throw Rejection(rejection.cause, do: "add these elements yourself; nothing was written", lines: edit.lines)
            }
            try files.write()
        } catch {
            try? Data(folder.manifest.utf8).write(to: url, options: .atomic)
            if let other, let old = other.old { try? Data(old.utf8).write(to: other.url, options: .atomic) }
            throw error
        }
    }

    // MARK: - The report

    private func report(_ files: NewFiles, _ other: String?, _ command: String?, _ before: DumpedManifest) -> NewReport {
        var report = NewReport(changed: ["Package.swift"] + (other.map { [$0] } ?? []), written: files.files.map(\.path))
        let name = CommandSetup.current.name
        report.next = ["swift test --filter \(channel)", "\(name) new feature \(channel) OrderList --path orders"]
        if !folder.isKit {
            if !before.platforms.isEmpty, !before.missingPlatforms.isEmpty {
                let missing = before.missingPlatforms.joined(separator: " and ")
                report.notes.append("the kit needs \(missing); write it into the platforms of Package.swift")
            }
            report.notes.append(
                command.map {
                    "the channel's command is: swift run \($0) \(channel) GET orders; list further channels in "
                        + folder.command($0)
                }
                    ?? "--with-command would have written a command of your own, too. By hand it is an executable that calls "
                    + "NetworkerCommand.main(channels: [.\(template.name.property)]), and the kit needs traits: [\"Command\"]")
        }
        return report
    }
}

extension String {
    /// The module of a target, without the case: some file systems know no other name.
    fileprivate var moduleName: String { String(lowercased().map { $0.isLetter || $0.isNumber ? $0 : "_" }) }
}
