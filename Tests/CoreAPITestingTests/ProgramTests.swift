import TestSupport

@Suite("A program that a test runs", .closing, .timeLimit(.minutes(1)))
struct ProgramTests {
    @Test("ends with all it has started when the test's time limit cancels it")
    func cancelled() async throws {
        let file = temporaryFile("program").path
        let script = "mkfifo \"$1\"; sleep 1000 & echo begun >\"$1\"; wait"
        let running = Task { try await Program.run(["/bin/sh", "-c", script, "sh", file]) }
        while !FileManager.default.fileExists(atPath: file) { await Task.yield() }
        // Ends when the script has begun to wait.
        #expect(try await Program.run(["/bin/cat", file]).text == "begun\n")
        running.cancel()
        #expect(try await running.value.status == 128 + SIGKILL)
    }
}
