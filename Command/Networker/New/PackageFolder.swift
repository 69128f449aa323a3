import CoreAPI
import Foundation

/// A folder with a `Package.swift`: the kit's repository, or a package of one's own. Knows where the parts of a channel belong.
struct PackageFolder: Sendable {
    let root: URL
    /// Whether this is the kit's own repository.
    let isKit: Bool
    let manifest: String

    /// - Throws: ``Rejection`` if there is no manifest.
    init(_ root: URL) throws {
        self.root = root
        do {
            manifest = try String(contentsOf: root.appendingPathComponent("Package.swift"), encoding: .utf8)
        } catch {
            let isMissing = !FileManager.default.fileExists(atPath: root.appendingPathComponent("Package.swift").path)
            throw isMissing
                ? Rejection(
                    "there is no Package.swift in this folder",
                    do: "go to the folder of a package, or make one here: swift package init --type library")
                : Rejection("cannot read Package.swift: \(error.systemReason)", do: "mend the file, and repeat the command")
        }
        isKit = Self.isKit(manifest)
    }

    static func isKit(_ folder: URL) -> Bool {
        (try? String(contentsOf: folder.appendingPathComponent("Package.swift"), encoding: .utf8)).map(isKit) ?? false
    }

    private static func isKit(_ manifest: String) -> Bool {
        manifest.contains("name: \"NetworkerKit\"") && manifest.contains("let channels = [")
    }

    // MARK: - Paths, below the root

    func networker(_ channel: String) -> String { isKit ? "Channels/\(channel)/Networker" : "\(sources)/\(channel)Networker" }
    func networkerFile(_ channel: String) -> String { "\(networker(channel))/\(channel)Networker.swift" }
    func interactors(_ channel: String) -> String { isKit ? "Interactors/\(channel)" : "\(sources)/\(channel)Interactors" }
    func tests(_ channel: String) -> String { isKit ? "Tests/ChannelTests/\(channel)" : "Tests/\(channel)InteractorsTests" }
    func fixtures(_ channel: String) -> String { isKit ? "Tests/Fixtures" : "\(tests(channel))/Fixtures" }
    func command(_ name: String) -> String { "\(sources)/\(name)/Program.swift" }

    /// SwiftPM looks for targets in the first of these folders that exists.
    var sources: String {
        ["Sources", "Source", "src", "srcs"].first { isFolder($0) } ?? "Sources"
    }

    /// The channels that have a networker and a folder for interactors, sorted.
    var channels: [String] {
        let folder = isKit ? "Channels" : sources
        let names = (try? FileManager.default.contentsOfDirectory(atPath: root.appendingPathComponent(folder).path)) ?? []
        return names.compactMap { name -> String? in
            guard !isKit else { return name }
            return name.hasSuffix("Networker") ? String(name.dropLast("Networker".count)) : nil
        }.filter { !$0.isEmpty && isFolder(networker($0)) && isFolder(interactors($0)) }.sorted()
    }

    /// The Swift sources of the channel's networker, joined.
    func networkerSource(_ channel: String) -> String {
        let folder = root.appendingPathComponent(networker(channel))
        let names = ((try? FileManager.default.contentsOfDirectory(atPath: folder.path)) ?? []).sorted()
        return names.filter { $0.hasSuffix(".swift") }.compactMap {
            try? String(contentsOf: folder.appendingPathComponent($0), encoding: .utf8)
        }.joined(separator: "\n")
    }

    /// A file of the package.
    func text(_ path: String) throws -> String { try String(contentsOf: root.appendingPathComponent(path), encoding: .utf8) }

    func isFolder(_ path: String) -> Bool {
        var isFolder: ObjCBool = false
        return FileManager.default.fileExists(atPath: root.appendingPathComponent(path).path, isDirectory: &isFolder)
            && isFolder.boolValue
    }

    /// A single target may have its sources directly in `Sources`. SwiftPM rejects that beside a second target.
    var hasLooseSources: Bool {
        ((try? FileManager.default.contentsOfDirectory(atPath: root.appendingPathComponent(sources).path)) ?? [])
            .contains { $0.hasSuffix(".swift") }
    }
}
