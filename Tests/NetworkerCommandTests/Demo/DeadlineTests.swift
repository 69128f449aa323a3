import TestSupport

@testable import NetworkerKitDemo

@Suite("A deadline")
struct DeadlineTests {
    @Test("returns a result that arrives in time")
    func inTime() async throws {
        #expect(try await Deadline(limit: .seconds(60)).run { 7 } == 7)
        await #expect(throws: CancellationError.self) {
            try await Deadline(limit: .seconds(60)).run { () async throws -> Int in throw CancellationError() }
        }
    }

    @Test("does not wait longer, even if the operation ignores cancellation")
    func exceeded() async {
        let start = ContinuousClock.now
        await #expect(throws: Deadline.Exceeded(limit: .milliseconds(20))) {
            try await Deadline(limit: .milliseconds(20)).run {
                await Task { try? await Task.sleep(for: .seconds(300)) }.value
            }
        }
        #expect(start.duration(to: .now) < .seconds(120))
    }
}
