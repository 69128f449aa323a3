import ArgumentParser
import TestSupport

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
        "are split at octets, whatever combines with a separator",
        arguments: [
            ("q==\u{93F}", RequestItem(.query, "q", "\u{93F}")), ("name=\u{309A}", RequestItem(.text, "name", "\u{309A}")),
            ("n:=\"\u{301}\"", RequestItem(.json, "n", "\"\u{301}\"")),
            ("photo@\u{301}.png", RequestItem(.file, "photo", "\u{301}.png")),
            ("X-A:\u{301}b", RequestItem(.header, "X-A", "\u{301}b")), ("a\\=\u{301}=c", RequestItem(.text, "a=\u{301}", "c")),
            ("a=\\@\u{301}", RequestItem(.text, "a", "@\u{301}")), ("a\u{338}=b", RequestItem(.text, "a\u{338}", "b")),
            ("\u{2260}=b", RequestItem(.text, "\u{2260}", "b")), ("a\u{37E}=b", RequestItem(.text, "a\u{37E}", "b")),
        ])
    func octets(word: String, item: RequestItem) throws {
        let found = try RequestItem(word)
        #expect(found.kind == item.kind)
        // Texts that are canonically equivalent are equal.
        #expect(Array(found.name.utf8) == Array(item.name.utf8) && Array(found.value.utf8) == Array(item.value.utf8))
    }

    @Test("read the file that is named behind @, although its name begins with a combining mark")
    func combiningFile() {
        let error = #expect(throws: ValidationError.self) { try RequestItem("a=@\u{301}nowhere") }
        #expect(error?.message.contains("cannot read the value of 'a'") == true, "\(error?.message ?? "")")
    }

    @Test("read no header from a word that ends with a Greek question mark, which is not a semicolon")
    func greekQuestionMark() {
        #expect(throws: ValidationError.self) { try RequestItem("X-Foo\u{37E}") }
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
            // One line end goes; a second one is the user's. In a header it is rejected.
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
