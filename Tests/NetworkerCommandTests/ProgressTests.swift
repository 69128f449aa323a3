import TestSupport

@Suite("The progress of a build", .closing)
struct ProgressTests {
    @Test("without a terminal, has a line for each package that is fetched, and passes errors on")
    func fetching() async throws {
        let lines = [
            "Fetching https://git.example/apple/swift-log.git", "[1/325] Fetching swift-log", "Fetched in 1 s",
            "Fetching https://git.example/a/b from cache", "[1/2] Compiling A", "error: no such thing", "Build complete! (1 s)",
        ]
        let log = lines.joined(separator: "\n") + "\n"
        let text = try await shown(log, { ["/bin/sh", "-c", "'\($0)' demo <\"$LOG\""] })
        // The other lines have times, which depend on the machine.
        let fetched = text.split(separator: "\n").filter { $0.contains("fetching") }
        #expect(fetched == ["demo: fetching swift-log", "demo: fetching b from cache"] && text.contains("demo: done in "))
        let errors = try await shown(log, { ["/bin/sh", "-c", "'\($0)' demo <\"$LOG\" 2>&1 >/dev/null"] })
        #expect(errors == "error: no such thing\n")
    }

    /// Runs the script with a build's log.
    private func shown(
        _ log: String, _ command: (_ script: String) -> [String], _ environment: [String: String] = [:]
    ) async throws -> String {
        let script = TemporaryPackage.kit.appendingPathComponent("Scripts/progress").path
        let variables = try ["LOG": written(log).path, "PATH": "/usr/bin:/bin"].merging(environment) { $1 }
        return try await Program.run(command(script), environment: variables).text
    }

    @Test("without a terminal, has the number of the step every ten seconds, and no total, which grows")
    func steps() async throws {
        let log = "[1/2] Compiling A\n[2/2] Compiling B\nBuild complete! (1 s)\n"
        // bash counts SECONDS from the variable's value.
        let late = try await shown(log, { ["/bin/sh", "-c", "'\($0)' test <\"$LOG\""] }, ["SECONDS": "10"])
        #expect(late.contains(/test: step 1 after \d+ s\n/) && !late.contains("step 2"), "\(late)")
        let early = try await shown(log, { ["/bin/sh", "-c", "'\($0)' test <\"$LOG\""] }, ["SECONDS": "-10000"])
        #expect(!early.contains("step 1"), "\(early)")
    }

    @Test("on a terminal, redraws one line for each step")
    func terminal() async throws {
        let log = "Fetching https://git.example/a/b.git\n[1/2] Compiling A\n[2/2] Compiling B\nBuild complete! (1 s)\n"
        // script(1) runs a program in a terminal of its own.
        let text = try await shown(log, { ["script", "-qec", "'\($0)' test <\"$LOG\"", "/dev/null"] })
        for line in ["Fetching https://git.example/a/b.git", "step 1, Compiling A", "step 2, Compiling B"] {
            #expect(text.contains("\r\u{1B}[Ktest: \(line)"), "\(text)")
        }
        #expect(text.contains("\r\u{1B}[Ktest: done in "), "\(text)")
        #expect(text.utf8.count { $0 == UInt8(ascii: "\n") } == 1, "\(text)")
    }
}
