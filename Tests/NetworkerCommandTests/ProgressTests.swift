import Foundation
import Programs
import Testing

@Suite("The progress of a build")
struct ProgressTests {
    @Test("without a terminal, has a line for each package that is fetched, and passes errors on")
    func fetching() async throws {
        let log = FileManager.default.temporaryDirectory.appendingPathComponent("build-\(UUID().uuidString).log")
        defer { try? FileManager.default.removeItem(at: log) }
        let lines = [
            "Fetching https://git.example/apple/swift-log.git", "[1/325] Fetching swift-log", "Fetched in 1 s",
            "Fetching https://git.example/a/b from cache", "[1/2] Compiling A", "error: no such thing", "Build complete! (1 s)",
        ]
        try Data(lines.joined(separator: "\n").appending("\n").utf8).write(to: log)
        let script = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
            .appendingPathComponent("../../Scripts/progress").path
        let outcome = try await Program.run([script, "demo: building"], input: log.path)
        // The other lines have times, which depend on the machine.
        let fetched = outcome.text.split(separator: "\n").filter { $0.contains("fetching") }
        #expect(fetched == ["demo: building: fetching swift-log", "demo: building: fetching b from cache"])
        #expect(outcome.text.contains("demo: building: done in "))
        let errors = try await Program.run(["/bin/sh", "-c", "\"$0\" 2>&1 >/dev/null", script], input: log.path)
        #expect(errors.text == "error: no such thing\n")
    }
}
