import TestSupport

@Suite("The doc comments")
struct DocCommentTests {
    @Test("show only Swift from the files of samples, which compile")
    func samples() throws {
        let blocks = try Documentation.sources().flatMap { file in
            try Documentation.swift(inCommentsOf: file).map { (file, block: $0) }
        }
        #expect(blocks.count >= 90)
        for (file, block) in blocks {
            #expect(try Documentation.isCompiled(block), "not compiled anywhere, \(file):\n\(block)")
        }
    }
}
