import CoreAPI
import Foundation

/// Writes a feature of an existing channel into a package.
struct NewFeature: Sendable {
    let folder: PackageFolder
    let template: FeatureTemplate

    /// - Throws: ``Rejection`` for invalid names, and for a channel that the package does not have.
    init(in folder: PackageFolder, channel: String, name: String, path: String?, method: String) throws {
        self.folder = folder
        let known = folder.channels
        guard known.contains(channel) else {
            let same = known.first { $0.lowercased() == channel.lowercased() }
            let found = known.isEmpty ? "this package has none" : "found \(known.joined(separator: ", "))"
            throw Rejection(
                "unknown channel '\(channel.escapingControls)'; \(found)",
                do: same.map { "write \($0)" }
                    ?? "make it first: \(CommandSetup.current.name) new channel \((try? ChannelName(channel))?.text ?? "BK")")
        }
        template = try FeatureTemplate(
            ChannelName(channel), FeatureName(name), path: path, method: method, source: folder.networkerSource(channel))
    }

    /// - Throws: ``Rejection``; then nothing has changed.
    func write() throws -> NewReport {
        let files = NewFiles(root: folder.root, files: template.files(in: folder))
        try files.check()
        try files.write()
        var report = NewReport(written: files.files.map(\.path))
        report.next = ["swift build", "swift test --filter \(template.channel.text)\(template.name.text)"]
        return report
    }
}

/// The changed and written files, and the next commands.
struct NewReport: Sendable, Hashable {
    var changed: [String] = []
    var written: [String] = []
    /// Commands.
    var next: [String] = []
    var notes: [String] = []

    var text: String {
        let done = changed.map { "changed  \($0)" } + written.map { "wrote    \($0)" }
        return (done + ["", "Next:"] + next.map { "  \($0)" }).joined(separator: "\n")
    }

    func show() {
        Console.output.write(text)
        for note in notes { Console.error.write(hint: note) }
    }
}
