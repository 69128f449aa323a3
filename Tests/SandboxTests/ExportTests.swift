import Foundation
import HTTPTypes
import Testing

@testable import NetworkerKitSandbox

@Suite("The export of the catalogue") struct ExportTests {
    private func answer(_ headers: [(name: String, value: String)] = []) -> SandboxAnswer {
        TYExport.answer(to: SandboxRequest("GET", "/ty/discovery/v1/exports/catalogue.jsonl", headers: headers))
    }

    private func field(_ name: String, of answer: SandboxAnswer) -> String? { answer.headers.first { $0.name == name }?.value }

    @Test("sends the rest of the same file, and a changed file from its beginning")
    func ranges() throws {
        let whole = answer()
        let tag = try #require(field("etag", of: whole))
        let rest = answer([("range", "bytes=100-"), ("if-range", tag)])
        #expect(rest.status == .partialContent && rest.body == whole.body[100...])
        #expect(field("content-range", of: rest) == "bytes 100-\(whole.body.count - 1)/\(whole.body.count)")
        #expect(answer([("range", "bytes=100-"), ("if-range", "\"other\"")]).status == .ok)
        #expect(answer([("range", "bytes=\(whole.body.count)-")]).status == .rangeNotSatisfiable)
        #expect(answer([("range", "lines=1-")]).status == .ok)
    }
}
