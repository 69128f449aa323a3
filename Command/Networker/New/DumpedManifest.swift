import CoreAPI
import Foundation

/// What `swift package dump-package` says about a manifest, as far as templates need it.
struct DumpedManifest: Decodable, Sendable {
    struct Named: Decodable, Sendable {
        let name: String
    }

    struct Platform: Decodable, Sendable {
        let platformName: String
        let version: String
    }

    struct ToolsVersion: Decodable, Sendable {
        let _version: String
    }

    struct Dependency: Decodable, Sendable {
        struct Entry: Decodable, Sendable {
            struct Location: Decodable, Sendable {
                struct Remote: Decodable, Sendable {
                    let urlString: String
                }

                let remote: [Remote]?
            }

            let identity: String
            let nameForTargetDependencyResolutionOnly: String?
            let path: String?
            let location: Location?
            let traits: [Named]?
        }

        let fileSystem: [Entry]?
        let sourceControl: [Entry]?
    }

    let dependencies: [Dependency]
    let platforms: [Platform]
    let products: [Named]
    let targets: [Named]
    let toolsVersion: ToolsVersion

    /// The kit among the dependencies.
    func kit(inPackageAt root: URL) -> KitDependency? {
        for dependency in dependencies {
            for entry in (dependency.fileSystem ?? []) + (dependency.sourceControl ?? []) {
                let folder = entry.path.map { URL(fileURLWithPath: $0, relativeTo: root) }
                let name = entry.nameForTargetDependencyResolutionOnly
                guard entry.identity == "networkerkit" || name == "NetworkerKit" || folder.map(PackageFolder.isKit) == true
                else { continue }
                return KitDependency(
                    package: name ?? entry.location?.remote?.first.map { KitDependency.name(ofURL: $0.urlString) }
                        ?? folder?.lastPathComponent ?? entry.identity,
                    traits: Set((entry.traits ?? []).map(\.name)), folder: folder)
            }
        }
        return nil
    }

    /// The minimum versions that the kit needs and the package does not ask for, as Swift: `.macOS(.v15)`.
    var missingPlatforms: [String] {
        [("macos", 15.0, ".macOS(.v15)"), ("ios", 18.0, ".iOS(.v18)")].compactMap { name, version, code in
            platforms.contains { $0.platformName == name && (Double($0.version) ?? 0) >= version } ? nil : code
        }
    }

    /// Runs `swift package dump-package` in the folder.
    ///
    /// - Throws: ``Rejection`` with the first error that it prints.
    static func read(in folder: URL, by run: DumpRun) async throws -> DumpedManifest {
        let (status, output, errors) = try await run(folder)
        if status == 0, let manifest = try? JSONDecoder().decode(DumpedManifest.self, from: output) { return manifest }
        let lines = errors.split(separator: "\n").map(String.init)
        let reason = lines.first { $0.contains("error:") } ?? lines.first ?? "exit code \(status)"
        throw Rejection(
            "'swift package dump-package' cannot read Package.swift: \(reason)",
            // The shell's code for a program that it does not find.
            do: status == 127 ? "put swift on the PATH, and repeat the command" : "mend Package.swift, and repeat the command")
    }
}

/// Runs `swift package dump-package` in a folder. Returns exit code, standard output and standard error.
typealias DumpRun = @Sendable (URL) async throws -> (status: Int32, output: Data, errors: String)

/// Runs it as a child process, and waits on a thread of its own. Foundation's `Process` reads beyond the end of a directory entry
/// on Linux.
@Sendable func dumpPackage(in folder: URL) async throws -> (status: Int32, output: Data, errors: String) {
    try await withCheckedThrowingContinuation { continuation in
        Thread.detachNewThread { continuation.resume(with: Result { try waitForDump(in: folder) }) }
    }
}

private func waitForDump(in folder: URL) throws -> (status: Int32, output: Data, errors: String) {
    let errors = FileManager.default.temporaryDirectory.appendingPathComponent("dump-\(UUID().uuidString).txt")
    defer { try? FileManager.default.removeItem(at: errors) }
    let words = "cd \(folder.path.quotedForShell) && exec swift package dump-package 2>\(errors.path.quotedForShell)"
    guard let pipe = popen(words, "r") else {
        throw Rejection("cannot start a shell: \(String(cString: strerror(errno)))", do: "repeat the command")
    }
    let output = (try? FileHandle(fileDescriptor: fileno(pipe), closeOnDealloc: false).readToEnd()) ?? Data()
    let status = pclose(pipe)
    return (status & 0x7F == 0 ? (status >> 8) & 0xFF : status, output, (try? String(contentsOf: errors, encoding: .utf8)) ?? "")
}

extension String {
    var quotedForShell: String { "'" + replacingOccurrences(of: "'", with: #"'\''"#) + "'" }
}

/// The kit, as a dependency of a package.
struct KitDependency: Sendable, Hashable {
    /// The name in `.product(name:package:)`.
    let package: String
    /// The chosen traits; `default` for those of the kit's manifest.
    let traits: Set<String>
    /// `nil` for a repository.
    var folder: URL?

    var hasCommand: Bool { !traits.isDisjoint(with: ["default", "Command"]) }

    func product(_ name: String) -> String { ".product(name: \"\(name)\", package: \"\(package)\")" }

    /// The name that SwiftPM derives: the last part without `.git`.
    static func name(ofURL url: String) -> String {
        let last = url.split(whereSeparator: { "/:".contains($0) }).last.map(String.init) ?? url
        return last.hasSuffix(".git") ? String(last.dropLast(4)) : last
    }
}
