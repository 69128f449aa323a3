import ArgumentParser
import Foundation
import Testing

@testable import NetworkerCommand

@Suite("The items of a request")
struct RequestItemTests {
    @Test(
        "are split at the first separator, the longer one of two at the same character",
        arguments: [
            ("a=1", RequestItem(.text, "a", "1")), ("filter=a=b", RequestItem(.text, "filter", "a=b")),
            ("q=", RequestItem(.text, "q", "")), ("age:=3", RequestItem(.json, "age", "3")),
            ("q==1", RequestItem(.query, "q", "1")), ("X-Foo:bar", RequestItem(.header, "X-Foo", "bar")),
            ("X-Foo;", RequestItem(.header, "X-Foo", "")), ("photo@cat.png", RequestItem(.file, "photo", "cat.png")),
            ("a\\=b=c", RequestItem(.text, "a=b", "c")), ("a\\:b:=[1, 2]", RequestItem(.json, "a:b", "[1, 2]")),
            ("to=a@b.example", RequestItem(.text, "to", "a@b.example")), ("note=\\@x", RequestItem(.text, "note", "@x")),
            ("when=10:30", RequestItem(.text, "when", "10:30")), ("ş=ç", RequestItem(.text, "ş", "ç")),
        ])
    func separators(word: String, item: RequestItem) throws {
        #expect(try RequestItem(word) == item)
    }

    @Test(
        "state what was expected",
        arguments: [
            ("", "expected name=value"), ("novalue", "expected name=value"), ("=x", "expected a name"), ("@x", "expected a name"),
            ("X-Foo:", "'X-Foo;' sends the header without one"), ("age:=three", "for text write age=…"),
            ("photo@", "expected a file"), ("a b:c", "token"),
            (
                "a=@/nowhere/at-all",
                "from '/nowhere/at-all': No such file or directory; expected a readable file, or @- for standard input"
            ),
        ])
    func malformed(word: String, message: String) {
        let error = #expect(throws: ValidationError.self) { try RequestItem(word) }
        #expect(error?.message.contains(message) == true, "\(error?.message ?? "")")
    }

    @Test("read a value from a file")
    func file() throws {
        let file = FileManager.default.temporaryDirectory.appendingPathComponent("value-\(UUID().uuidString)")
        defer { try? FileManager.default.removeItem(at: file) }
        try Data("[1,2]".utf8).write(to: file)
        #expect(try RequestItem("a=@\(file.path)") == RequestItem(.text, "a", "[1,2]"))
        #expect(try RequestItem("a:=@\(file.path)") == RequestItem(.json, "a", "[1,2]"))
        #expect(try RequestItem("a==@\(file.path)") == RequestItem(.query, "a", "[1,2]"))
        let name = file.path
        for end in ["\n", "\r\n"] {
            try Data("t0ken\n\(end)".utf8).write(to: file)
            // One line end goes; a second one is the user's. In a header it is refused.
            #expect(try RequestItem("a==@\(name)") == RequestItem(.query, "a", "t0ken\n"))
            #expect(throws: ValidationError.self) { try RequestItem("A:@\(name)") }
            #expect(try RequestItem("a=@\(name)") == RequestItem(.text, "a", "t0ken\n\(end)"))
            try Data("t0ken\(end)".utf8).write(to: file)
            #expect(try RequestItem("A:@\(name)") == RequestItem(.header, "A", "t0ken"))
        }
        let error = #expect(throws: ValidationError.self) { try RequestItem("a:=@\(name)") }
        #expect(error?.message == "expected JSON in '\(name)'; for text write a=@\(name)")
        try Data([0xFF]).write(to: file)
        #expect(throws: ValidationError.self) { try RequestItem("a=@\(file.path)") }
    }
}
