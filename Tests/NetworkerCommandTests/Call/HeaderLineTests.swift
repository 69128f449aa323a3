import ArgumentParser
import TestSupport

@testable import NetworkerCommand

@Suite("--header")
struct HeaderLineTests {
    @Test("is split at its first colon, without the blanks around the value")
    func split() throws {
        let line = try HeaderLine("X-Time:  10:30 ")
        #expect(line.name == "X-Time")
        #expect(line.value == "10:30")
    }

    @Test("is split at the octet, whatever combines with the colon")
    func octets() throws {
        let line = try HeaderLine("X-A:\u{301}b")
        #expect(line.name == "X-A" && Array(line.value.utf8) == Array("\u{301}b".utf8))
    }

    @Test(
        "states what was expected",
        arguments: [("bad", "'Name: value'"), ("ba d: x", "token"), ("x: a\r\ny: b", "CR"), (": x", "token")])
    func malformed(text: String, hint: String) {
        let error = #expect(throws: ValidationError.self) { try HeaderLine(text) }
        #expect(error?.message.contains(hint) == true)
    }

    @Test("accepts each name once, in any case")
    func distinct() throws {
        let lines = try ["a: 1", "A: 2"].map { try HeaderLine($0) }
        #expect(throws: ValidationError.self) { try lines.checkNamesAreDistinct() }
        try [lines[0]].checkNamesAreDistinct()
    }
}
