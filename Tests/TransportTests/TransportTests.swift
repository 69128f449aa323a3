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

    @Test("skips a case only for a declared missing capability, and every such capability has a case", arguments: Subject.all)
    func skips(_ subject: Subject) {
        let skipped = Case.all.compactMap { example in
            subject.reasonToSkip(example.needs).map { (name: example.name, reason: $0) }
        }
        for (name, reason) in skipped { print("\(subject.name) skips '\(name)': \(reason)") }
        #expect(Case.all.count - skipped.count >= 30, "\(subject.name) takes \(Case.all.count - skipped.count) cases")
        for need in subject.lacks.keys {
            #expect(Case.all.contains { $0.needs.contains(need) }, "\(subject.name) lacks '\(need)', which no case needs")
        }
    }

    @Test("of libcurl takes every case but those for the other version of HTTP, and for a decoder that is not installed")
    func libcurl() {
        // Clear text shows faults that HTTP/2 does not have, and only TLS shows an address with https.
        #expect(Set(Subject.curl.lacks.keys).isSubset(of: [.https, .brotli]))
        #expect(Set(Subject.curlOverTLS.lacks.keys).isSubset(of: [.http1, .brotli]))
    }

    @Test("runs every case, and every case has a unique name")
    func list() {
        #expect(Set(Case.all.map(\.name)).count == Case.all.count)
        for example in Case.all {
            #expect(Subject.all.contains { $0.reasonToSkip(example.needs) == nil }, "no transport takes '\(example.name)'")
        }
    }
}
