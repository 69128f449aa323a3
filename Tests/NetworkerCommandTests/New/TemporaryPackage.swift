import TestSupport

@testable import NetworkerCommand

final class TemporaryPackage: Sendable {
    static let kit = URL(fileURLWithPath: #filePath).appendingPathComponent("../../../..").standardizedFileURL

    /// As `swift package init --type empty` has it.
    static let empty = "// swift-tools-version: 6.2\nimport PackageDescription\n\nlet package = Package(\n    name: \"Shop\"\n)\n"

    let root = FileManager.default.temporaryDirectory.appendingPathComponent("new-\(UUID().uuidString)/Shop")

    init(_ manifest: String? = empty) throws {
        try FileManager.default.createDirectory(at: root, withIntermediateDirectories: true)
        if let manifest { try write("Package.swift", manifest) }
    }

    /// The parts of this repository that a new channel needs.
    static func kitCopy() throws -> TemporaryPackage {
        let copy = try TemporaryPackage(nil)
        try FileManager.default.createDirectory(at: copy.root.appendingPathComponent("Demo"), withIntermediateDirectories: true)
        for part in ["Package.swift", "Channels", "Interactors", "Demo/Channels", ".swift-format"] {
            try FileManager.default.copyItem(at: kit.appendingPathComponent(part), to: copy.root.appendingPathComponent(part))
        }
        return copy
    }

    deinit { try? FileManager.default.removeItem(at: root.deletingLastPathComponent()) }

    func write(_ path: String, _ text: String) throws {
        let url = root.appendingPathComponent(path)
        try FileManager.default.createDirectory(at: url.deletingLastPathComponent(), withIntermediateDirectories: true)
        try Data(text.utf8).write(to: url)
    }

    func text(_ path: String) throws -> String { try String(contentsOf: root.appendingPathComponent(path), encoding: .utf8) }

    var files: [String] {
        let found = FileManager.default.enumerator(atPath: root.path)?.compactMap { $0 as? String } ?? []
        return found.filter { path in
            var isFolder: ObjCBool = false
            _ = FileManager.default.fileExists(atPath: root.appendingPathComponent(path).path, isDirectory: &isFolder)
            return !isFolder.boolValue && !path.hasPrefix(".build")
        }.sorted()
    }

    @discardableResult
    func newChannel(
        _ name: String = "BK", title: String? = "Books", host: String? = nil, kit: String? = TemporaryPackage.kit.path,
        command: Bool = false, dump: @escaping DumpRun = TemporaryPackage.dump
    ) async throws -> NewReport {
        let template = try ChannelTemplate(ChannelName(name), title: title, host: host)
        return try await NewChannel(folder: PackageFolder(root), template: template, kit: kit, hasCommand: command, dump: dump)
            .write()
    }

    @discardableResult
    func newFeature(
        _ channel: String = "BK", _ name: String = "OrderList", path: String? = nil, method: String = "GET"
    ) throws -> NewReport {
        try NewFeature(in: PackageFolder(root), channel: channel, name: name, path: path, method: method).write()
    }

    /// SwiftPM itself, in a process that inherits no socket of another test.
    static let dump: DumpRun = { folder in
        let run = try await Program.run([
            "sh", "-c", "cd \"$1\" && exec swift package dump-package 2>errors.txt", "sh", folder.path,
        ])
        let errors = folder.appendingPathComponent("errors.txt")
        defer { try? FileManager.default.removeItem(at: errors) }
        return (run.status, run.output, try String(contentsOf: errors, encoding: .utf8))
    }

    /// SwiftPM's responses in their order, without a process.
    static func dumps(_ answers: String...) -> DumpRun {
        let asked = Shared(0)
        return { _ in
            let next = answers[min(asked.next(), answers.count - 1)]
            return next.hasPrefix("{") ? (0, Data(next.utf8), "") : (1, Data(), next)
        }
    }

    /// What SwiftPM says about a package with these targets and dependencies.
    static func dumped(targets: [String] = [], dependency: String = "", platforms: String = "", tools: String = "6.2.0") -> String
    {
        let targets = targets.map { "{\"name\": \"\($0)\"}" }.joined(separator: ", ")
        return """
            {"dependencies": [\(dependency)], "platforms": [\(platforms)], "products": [], "targets": [\(targets)],
            "toolsVersion": {"_version": "\(tools)"}}
            """
    }
}
