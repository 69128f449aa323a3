import CoreAPI
import Foundation

/// What to type to run the command again.
enum CommandName {
    /// The name of the running command.
    static var current: String {
        of(
            CommandLine.arguments, named: ProcessInfo.processInfo.environment["NETWORKER_NAME"],
            in: FileManager.default.currentDirectoryPath)
    }

    /// - Parameters:
    ///   - arguments: those of the process.
    ///   - given: the name that a script gave it.
    ///   - folder: the current one.
    static func of(_ arguments: [String], named given: String?, in folder: String) -> String {
        let path = arguments.first ?? "networker"
        let executable = URL(fileURLWithPath: path).lastPathComponent
        // A script for completion defines functions of this name, for the executable.
        if arguments.contains(where: { $0.hasPrefix("--generate-completion-script") }) { return executable }
        if let given, !given.isEmpty { return given.escapingControls }
        // Without a slash the shell found it on the PATH.
        guard path.utf8.contains(UInt8(ascii: "/")) else { return path.quotedIfNecessary }
        return isBuilt(path, in: folder) ? "swift run \(executable.quotedIfNecessary)" : path.quotedIfNecessary
    }

    /// Whether `swift run` in this folder finds the executable: it is a build of the package here, or of one around the folder.
    /// With options, builds have a folder such as `.build-address`.
    private static func isBuilt(_ path: String, in folder: String) -> Bool {
        let here = URL(fileURLWithPath: folder).standardizedFileURL.pathComponents
        let parts = URL(fileURLWithPath: path, relativeTo: URL(fileURLWithPath: folder)).standardizedFileURL.pathComponents
        guard let build = parts.lastIndex(where: { $0.hasPrefix(".build") }) else { return false }
        return here.starts(with: parts[..<build])
    }
}

extension String {
    /// As a shell reads one word.
    fileprivate var quotedIfNecessary: String {
        let isPlain = utf8.allSatisfy { byte in
            let isLetter = (UInt8(ascii: "a")...UInt8(ascii: "z")).contains(byte | 0x20)
            return isLetter || byte >= 0x80 || "0123456789/._-+@%=:,".utf8.contains(byte)
        }
        return (isPlain ? self : quotedForShell).escapingControls
    }
}
