public import CoreAPI
internal import Foundation

extension Transport where Self == FixtureTransport {
    /// The fixtures in the folder of that name: `.http` files; see ``/CoreAPI/Fixture/init(parsing:file:)``.
    ///
    /// The folder is searched as `Fixtures/<name>` beside the calling file and in every folder above it. So tests find their own
    /// fixtures first and then those that all tests share. If it does not exist, every request fails with
    /// ``/CoreAPI/FixtureError/notFound(name:searched:available:)``. An attached ``/CoreAPI/Fixture/Scenario`` is searched in the
    /// same way.
    public static func fixtures(_ name: String, from file: String = #filePath) -> FixtureTransport {
        FixtureTransport(scenario: name) { name throws(FixtureError) in try Fixture.folder(name, above: file) }
    }
}

extension Fixture {
    fileprivate static func folder(_ name: String, above file: String) throws(FixtureError) -> [Fixture] {
        var searched: [String] = []
        var available: [String] = []
        var folder = URL(fileURLWithPath: file).deletingLastPathComponent()
        while folder.path != "/" {
            let candidates = folder.appendingPathComponent("Fixtures").path
            if let names = try? FileManager.default.contentsOfDirectory(atPath: candidates) {
                if names.contains(name) { return try Fixture.scenario(name, in: candidates) }
                searched.append(candidates)
                available += names.sorted()
            }
            folder.deleteLastPathComponent()
        }
        throw .notFound(name: name, searched: searched, available: available)
    }
}
