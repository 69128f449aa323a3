import TestSupport

@Suite("Every transport", .closing, .timeLimit(.minutes(2)))
struct TransportTests {
    struct Trial: Sendable, CustomTestStringConvertible {
        let subject: Subject
        let example: Case
        var testDescription: String { "\(subject.name): \(example.name)" }
    }

    static let trials = Subject.all.flatMap { subject in Case.all.map { Trial(subject: subject, example: $0) } }

    @Test("behaves as expected in every case that it supports", .timeLimit(.minutes(1)), arguments: trials)
    func behaves(_ trial: Trial) async throws {
        if let reason = trial.subject.reasonToSkip(trial.example.needs) {
            try Test.cancel("\(trial.subject.name) skips '\(trial.example.name)': \(reason)")
        }
        let stage = try Stage(trial.subject, trial.example.script)
        do {
            try await trial.example.run(stage)
        } catch { Issue.record(error, "\(trial)") }
        await stage.close()
    }
}
