import ArgumentParser
import TestSupport

@testable import NetworkerCommand

@Suite("--data")
struct CallBodyTests {
    @Test(
        "is sent unchanged, with the media type of its content",
        arguments: [(#"{"a": 1}"#, "application/json"), ("a=1", "text/plain; charset=utf-8")])
    func text(text: String, type: String) throws {
        let body = try CallBody(text)
        #expect(body.bytes == Data(text.utf8))
        #expect(body.contentType == type)
    }

    @Test("is read from a file behind an @")
    func file() throws {
        let file = FileManager.default.temporaryDirectory.appendingPathComponent("body-\(UUID().uuidString)")
        try Data([0xFF, 0x00]).write(to: file)
        defer { try? FileManager.default.removeItem(at: file) }
        let body = try CallBody("@\(file.path)")
        #expect(body.bytes == Data([0xFF, 0x00]))
        #expect(body.contentType == "application/octet-stream")
    }

    @Test("names a file that cannot be read, although its name begins with a combining mark")
    func combiningName() {
        #expect(throws: ValidationError.self) { try CallBody("@\u{301}nowhere") }
    }

    @Test("names a file that cannot be read")
    func missing() {
        let error = #expect(throws: ValidationError.self) { try CallBody("@/nowhere/at-all") }
        #expect(
            error?.message == "cannot read the body from '/nowhere/at-all': No such file or directory; "
                + "expected a readable file, or @- for standard input")
    }
}
