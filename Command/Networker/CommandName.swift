import CoreAPI
import Foundation

/// What to type to run the command again.
enum CommandName {
    /// The name of the running command.
    static var current: String {
        of(CommandLine.arguments, named: ProcessInfo.processInfo.environment["NETWORKER_NAME"])
    }

    /// - Parameters:
    ///   - arguments: those of the process.
    ///   - given: the name that a script gave it.
    static func of(_ arguments: [String], named given: String?) -> String {
        let path = arguments.first ?? "networker"
        let executable = URL(fileURLWithPath: path).lastPathComponent
        // A script for completion defines functions of this name, for the executable.
        if arguments.contains(where: { $0.hasPrefix("--generate-completion-script") }) { return executable }
        if let given, !given.isEmpty { return given.escapingControls }
        // Builds have a folder `.build`, and with options `.build-address` or the like.
        return "/\(path)".contains("/.build") ? "swift run \(executable)" : executable
    }
}
