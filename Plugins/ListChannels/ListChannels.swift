import Foundation
import PackagePlugin

/// Writes the list of channels from the networkers that a target depends on, so that no source file names every channel.
@main
struct ListChannels: BuildToolPlugin {
    func createBuildCommands(context: PluginContext, target: any Target) throws -> [Command] {
        let networkers = target.dependencies.compactMap { dependency -> String? in
            guard case .target(let module) = dependency, module.name.hasSuffix("Networker") else { return nil }
            return module.name
        }
        let source = """
            public import CoreAPI
            \(networkers.map { "internal import \($0)" }.joined(separator: "\n"))

            /// Makes a networker of each channel in the package, in the order of Package.swift.
            public let everyNetworker: [@Sendable () -> ChannelNetworker<AdHocEndpoint>] = [
                \(networkers.map { "{ \($0)() }" }.joined(separator: ",\n    "))
            ]

            """
        let file = context.pluginWorkDirectoryURL.appending(path: "EveryNetworker.swift")
        return [
            .buildCommand(
                displayName: "List the channels", executable: URL(filePath: "/bin/sh"),
                arguments: ["-c", #"printf '%s' "$1" > "$2""#, "sh", source, file.path], outputFiles: [file])
        ]
    }
}
