import ArgumentParser
import Foundation
import Testing

@testable import networker

@Suite("name=value")
struct NamedValueTests {
    @Test("is split at its first equals sign")
    func split() throws {
        let item = try NamedValue("filter=a=b")
        #expect(item.name == "filter")
        #expect(item.value == "a=b")
        #expect(try NamedValue("q=").value.isEmpty)
    }

    @Test("needs a name", arguments: ["", "novalue", "=x"])
    func malformed(text: String) {
        let error = #expect(throws: ValidationError.self) { try NamedValue(text) }
        #expect(error?.message == "expected name=value, such as q=shoes, got '\(text)'")
    }

    @Test("makes a list of a repeated name")
    func repeated() throws {
        let values = NamedValues(try ["b=1", "a=x", "b=2"].map { try NamedValue($0) })
        let encoder = JSONEncoder()
        encoder.outputFormatting = .sortedKeys
        #expect(String(decoding: try encoder.encode(values), as: UTF8.self) == #"{"a":"x","b":["1","2"]}"#)
    }
}
