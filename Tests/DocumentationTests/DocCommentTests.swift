import TestSupport

@Suite("The doc comments", .timeLimit(.minutes(5)))
struct DocCommentTests {
    @Test("show only Swift that compiles")
    func samples() async throws {
        let samples = try Documentation.sources().flatMap(Documentation.samples(inCommentsOf:))
        #expect(samples.count >= 90)
        let surroundings = try Documentation.text("Tests/Samples/Surroundings.swift")
        let code = samples.enumerated().map { number, sample in
            // The compiler then names the comment's line.
            let text = "#sourceLocation(file: \"\(sample.file)\", line: \(sample.line))\n\(sample.text)\n#sourceLocation()\n"
            // Imports, extensions and open classes are for the outermost level of a file.
            if text.contains(/\n(import|extension|open)\b/) { return text }
            return "extension Interactor {\nfunc sample\(number)() async throws {\n\(text)}\n}\n"
        }
        let complaint = try await Compiler.complaint(
            about: surroundings + code.joined(), flags: ["-parse-as-library", "-warnings-as-errors"])
        // A sample need not use all that it makes.
        let errors = (complaint ?? "").split(separator: "\n").filter {
            $0.contains(/(^|: )error:/) && !$0.contains(/was never used|is unused/)
        }
        #expect(errors == [])
    }
}
