import TestSupport

@testable import CoreAPIJSON

@Suite("A value read without a type")
struct JSONNodeTests {
    private func root(_ text: String, takesTrailingCommas: Bool = false) throws -> JSONNode {
        try #require(try JSONNode.root(of: Data(text.utf8), takesTrailingCommas: takesTrailingCommas))
    }

    /// The value as text, with its items and members.
    private func text(_ node: JSONNode) throws -> String {
        switch try node.kind() {
        case .null: "null"
        case .bool(let value): "\(value)"
        case .number(let text): text
        case .string(let text): "'\(text)'"
        case .array: "[" + (try node.mapItems { try text($0) }).joined(separator: ",") + "]"
        case .object:
            "{" + (try node.mapMembers { try text($0) }).sorted { $0.key < $1.key }.map { "\($0):\($1)" }.joined(separator: ",")
                + "}"
        }
    }

    @Test("has its kind and all its items and members")
    func kinds() throws {
        #expect(
            try text(root(#" [null,true,false,-1.50e3,"a\n",[],{},[[1]],{"b":{"c":[2]},"a":0}] "#))
                == "[null,true,false,-1.50e3,'a\n',[],{},[[1]],{a:0,b:{c:[2]}}]")
    }

    @Test("of equal keys the first wins, and the values of the others must be valid, too")
    func equalKeys() throws {
        #expect(try text(root(##"{"a":1,"b":2,"\u0061":3}"##)) == "{a:1,b:2}")
        #expect(throws: JSONSyntaxError.self) { try text(root(#"{"a":1,"a":01}"#)) }
    }

    @Test(
        "a comma after the last item is rejected, unless it is allowed explicitly",
        arguments: ["[1,]", #"{"a":1,}"#, #"["]",]"#, "[[1],]", #"{"a":[{"b":"\\"} , ]}"#, "[1,\n\t ]"])
    func trailingCommas(document: String) throws {
        #expect(throws: JSONSyntaxError.self) { try root(document) }
        _ = try text(root(document, takesTrailingCommas: true))
    }

    @Test(
        "a comma in a string is not a trailing comma",
        arguments: [#"[","]"#, #"{"a,":",}"}"#, #"["\",]"]"#, #"["\\",1]"#, "[[],{}]"])
    func otherCommas(document: String) throws { _ = try text(root(document)) }

    @Test("a string ends at the same quote for every check, even if its escapes are malformed")
    func endOfMalformedString() throws {
        // After `\u` the scanner takes four bytes as digits, even a backslash. As an escape, the backslash would hide the quote.
        let node = try root(#"["\ude:\",",]"]"#)
        #expect(throws: JSONSyntaxError.self) { try text(node) }
        #expect(throws: JSONSyntaxError.self) { try text(root(#""\ude:\""#)) }
    }

    @Test(
        "a malformed number or string is rejected when it is read",
        arguments: ["[01]", "[1.]", #"["\ud800"]"#, "[\"\u{1}\"]"])
    func malformed(document: String) throws {
        let node = try root(document)
        #expect(throws: JSONSyntaxError.self) { try text(node) }
    }
}
