public import CoreAPI
internal import Foundation

extension Transport where Self == FixtureTransport {
    /// The recorded answers in the folder of that name.
    ///
    /// The folder is looked for as `Fixtures/<name>` beside the calling file and in every folder above it, so that tests find their
    /// own first and then those that all tests share. A name that is nowhere fails every request with
    /// ``FixtureError/notFound(name:searched:available:)``.
    ///
    /// - Parameter name: of a folder of `.http` files; see ``Fixture/init(parsing:file:)``.
    public static func fixtures(_ name: String, from file: String = #filePath) -> FixtureTransport {
        var searched: [String] = []
        var available: [String] = []
        var folder = URL(fileURLWithPath: file).deletingLastPathComponent()
        while folder.path != "/" {
            let candidates = folder.appendingPathComponent("Fixtures")
            var isDirectory: ObjCBool = false
            if FileManager.default.fileExists(atPath: candidates.path, isDirectory: &isDirectory), isDirectory.boolValue {
                let match = candidates.appendingPathComponent(name)
                if FileManager.default.fileExists(atPath: match.path) { return FixtureTransport(directory: match.path) }
                searched.append(candidates.path)
                available += ((try? FileManager.default.contentsOfDirectory(atPath: candidates.path)) ?? []).sorted()
            }
            folder.deleteLastPathComponent()
        }
        return FixtureTransport(failing: .notFound(name: name, searched: searched, available: available))
    }
}
