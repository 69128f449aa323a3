import Foundation
import PackagePlugin

/// Generates the list of the channels' parts for a target, so that no source file names every channel: networkers for
/// `EveryChannel`, sandbox answers, demo tours.
@main
struct ListChannels: BuildToolPlugin {
    func createBuildCommands(context: PluginContext, target: any Target) throws -> [Command] {
        let source =
            switch target.name {
            case "Sandbox": sandboxes(of: target)
            case "DemoTours": tours(of: target)
            default: networkers(of: target)
            }
        let file = context.pluginWorkDirectoryURL.appending(path: "EveryChannelOf\(target.name).swift")
        return [
            .buildCommand(
                displayName: "List the channels of \(target.name)", executable: URL(filePath: "/bin/sh"),
                arguments: ["-c", #"printf '%s' "$1" > "$2""#, "sh", source, file.path], outputFiles: [file])
        ]
    }

    private func networkers(of target: any Target) -> String {
        let modules = channels(of: target, "Networker").map { "\($0)Networker" }
        return """
            public import CoreAPI
            \(modules.map { "internal import \($0)" }.joined(separator: "\n"))

            /// Makes a networker of each channel in the package, in the order of Package.swift.
            public let everyNetworker: [@Sendable () -> ChannelNetworker<AdHocEndpoint>] = [
                \(modules.map { "{ \($0)() }" }.joined(separator: ",\n    "))
            ]

            """
    }

    /// From the files `<C>/Sandbox/<C>Sandbox.swift`.
    private func sandboxes(of target: any Target) -> String {
        let types = stems(of: target).filter { $0.folder + "Sandbox" == $0.stem }.map(\.stem)
        return """
            /// Makes each channel's part of the server.
            let everySandboxChannel: [@Sendable (SandboxOptions) -> any SandboxChannel] = [
                \(types.sorted().map { "{ \($0)($0) }" }.joined(separator: ",\n    "))
            ]

            """
    }

    /// From the files `<C>/Tour/<C>Tour.swift`.
    private func tours(of target: any Target) -> String {
        let found = Set(stems(of: target).filter { $0.folder + "Tour" == $0.stem }.map(\.folder))
        let names = channels(of: target, "Interactors").filter(found.contains)
        return """
            extension DemoTour {
                /// In the order of Package.swift.
                package static let all: [DemoTour] = [\(names.map { ".\($0.lowercased())" }.joined(separator: ", "))]
            }

            """
    }

    /// The names of the channels whose modules with that suffix are dependencies of the target, in the order of Package.swift.
    private func channels(of target: any Target, _ suffix: String) -> [String] {
        target.dependencies.compactMap { dependency in
            guard case .target(let module) = dependency, module.name.hasSuffix(suffix) else { return nil }
            return String(module.name.dropLast(suffix.count))
        }
    }

    /// The name of each source file without its extension, and the name of the channel's folder, two levels above.
    private func stems(of target: any Target) -> [(folder: String, stem: String)] {
        let files = (target as? any SourceModuleTarget)?.sourceFiles(withSuffix: ".swift").map(\.url) ?? []
        return files.map {
            let folder = $0.deletingLastPathComponent().deletingLastPathComponent().lastPathComponent
            return (folder, $0.deletingPathExtension().lastPathComponent)
        }
    }
}
