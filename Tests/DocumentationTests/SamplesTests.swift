import TestSupport

@Suite("The samples of pages and doc comments", .closing, .timeLimit(.minutes(5)))
struct SamplesTests {
    @Test("compile where they stand, keep their own expectations, and do what Tests/Samples expects")
    func samples() async throws {
        let folder = try temporaryFolder()
        let (file, program) = (folder.appendingPathComponent("Samples.swift"), folder.appendingPathComponent("samples").path)
        try Data(try code().utf8).write(to: file)
        let tests = try Documentation.files(in: "Tests/Samples", "Tests.swift").map(Documentation.root.appendingPathComponent)
        let build = try await Compiler.run(
            ["-o", program, file.path] + tests.map(\.path) + Compiler.testProgram(in: folder))
        // A sample need not use all that it makes.
        let complaints = build.text.split(separator: "\n").filter {
            $0.contains(/(^|: )(error|warning):/) && !$0.contains(/was never (used|mutated)|is unused/)
        }
        #expect(complaints == [])
        try #require(build.status == 0)
        let run = try await Program.run([program, "--testing-library", "swift-testing"], capturesErrors: true)
        #expect(run.status == 0, "\(run.text)")
    }

    /// What samples take for granted, and the samples. A text that stands twice is there once.
    private func code() throws -> String {
        let surroundings = try Documentation.text("Tests/Samples/Surroundings.swift")
        let pages = try ["README.md"] + ["CoreAPI", "Command"].flatMap { try Documentation.files(in: $0, ".md") }
        let sources = try ["CoreAPI", "Command"].flatMap { try Documentation.files(in: $0, ".swift") }
        var known: Set<String> = []
        var code = surroundings
        for file in pages + sources {
            let name = String(file.split(separator: "/").last?.prefix { $0 != "." } ?? "")
            for (line, text) in try Documentation.samples(in: file) where known.insert(text).inserted {
                // A manifest belongs to another package. GeneratedCodeTests run the tutorial with what `networker new` writes.
                if text.hasPrefix("// Package.swift") || name == "Tutorial" { continue }
                // The compiler then names the page's line. The program of the tests has a beginning already.
                let path = Documentation.root.appendingPathComponent(file).path
                let sample = """
                    #sourceLocation(file: "\(path)", line: \(line))
                    \(text.replacing("@main ", with: ""))#sourceLocation()

                    """
                let function = "func sample\(known.count)() async throws {\n\(sample)}\n"
                if file.hasSuffix(".swift") {
                    // Imports, extensions and open classes are for the outermost level of a file.
                    code += text.contains(/(?m)^(import|extension|open)\b/) ? sample : "extension Interactor {\n\(function)}\n"
                } else if text.contains(/: View \{|#Preview/) {
                    code += "#if canImport(SwiftUI)\nimport SwiftUI\n\(sample)#endif\n"
                } else if text.contains(/(?m)^([@a-z]\w* )*(import|extension|protocol|struct|class|enum|actor|func)\b/) {
                    code += sample
                } else if surroundings.contains("class \(name) ") {
                    code += "extension \(name) {\n\(function)}\n"
                } else {
                    code += text.contains("#expect(") ? "@Test(\"\(name), line \(line)\") \(function)" : function
                }
            }
        }
        try #require(known.count > 190)
        return code
    }
}
