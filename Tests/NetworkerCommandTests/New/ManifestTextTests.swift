import TestSupport

@testable import NetworkerCommand

@Suite("Editing Package.swift")
struct ManifestTextTests {
    private func edited(_ manifest: String, _ label: String = "targets", _ elements: [String] = ["X"]) throws -> String {
        var text = ManifestText(manifest)
        try text.add(elements, to: label)
        return text.text
    }

    @Test("adds a missing argument where the initializer has it")
    func missing() throws {
        let rest = "    targets: [\n        A\n    ],\n    swiftLanguageModes: [.v6]\n)"
        func manifest(_ dependencies: String) -> String { "let package = Package(\n    name: \"P\",\n\(dependencies)\(rest)" }
        let added = manifest("    dependencies: [\n        X,\n        Y,\n    ],\n")
        #expect(try edited(manifest(""), "dependencies", ["X", "Y"]) == added)
    }

    @Test(
        "adds to an array in any form",
        arguments: [
            ("[]", "[\n        X,\n    ]"),
            ("[A]", "[\n        A,\n        X,\n    ]"),
            ("[A, B,]", "[\n        A, B,\n        X,\n    ]"),
            ("[\n        A\n    ]", "[\n        A,\n        X,\n    ]"),
            ("[\n        A,\n    ]", "[\n        A,\n        X,\n    ]"),
            ("[\n        A]", "[\n        A,\n        X,\n    ]"),
            ("[\n        A  // one\n        // two\n    ]", "[\n        A,  // one\n        // two\n        X,\n    ]"),
            ("[\n        A, /* ]\n    ) */\n    ]", "[\n        A, /* ]\n    ) */\n        X,\n    ]"),
            ("[\n        // none yet\n    ]", "[\n        // none yet\n        X,\n    ]"),
            ("[A] + more", "[\n        A,\n        X,\n    ] + more"),
            (#"[.target(name: "a]\"(")]"#, "[\n        .target(name: \"a]\\\"(\"),\n        X,\n    ]"),
            (##"[.t(#"]"]"#, "\(["]"][0])")]"##, "[\n        .t(#\"]\"]\"#, \"\\([\"]\"][0])\"),\n        X,\n    ]"),
        ])
    func forms(before: String, after: String) throws {
        func manifest(_ targets: String) -> String {
            "// Package(\nlet package = Package(\n    name: \"P)\",\n    targets: \(targets)\n)\n"
        }
        #expect(try edited(manifest(before)) == manifest(after))
    }

    @Test("finds the call on one line")
    func oneLine() throws {
        #expect(
            try edited("let package = Package(name: \"P\")")
                == "let package = Package(name: \"P\",\n    targets: [\n        X,\n    ])")
    }

    @Test(
        "rejects what it does not know",
        arguments: [
            ("let package = Package(name: \"P\", targets: all)", "the value of 'targets' does not begin with '['"),
            ("let package: Package = .init(name: \"P\")", "expected one call of Package(…), found 0"),
            ("let a = Package(name: \"A\"), b = Package(name: \"B\")", "expected one call of Package(…), found 2"),
            ("let package = Package(name: \"P\", targets: [", "the call of Package has no end"),
            ("let package = Package()", "the call of Package has no name"),
        ])
    func unknown(manifest: String, reason: String) {
        #expect(throws: ManifestText.Unknown(reason: reason)) { try edited(manifest) }
    }

    @Test("reads quotes, comments and brackets before a combining mark, as the compiler does")
    func marks() throws {
        let start = "let package = Package(name: \"\u{301}) P\", /*\u{301} ] */ targets: "
        #expect(try edited(start + "[\"\u{301}]\"])") == start + "[\n    \"\u{301}]\",\n    X,\n])")
    }

    @Test("adds a name to the kit's list, and to no other")
    func constant() throws {
        var text = ManifestText("// let channels = [\nlet old = [\"A\"]\nlet channels = [\"TY\", \"DL\"]  // all\n")
        try text.add("\"BK\"", toConstant: "channels")
        #expect(text.text == "// let channels = [\nlet old = [\"A\"]\nlet channels = [\"TY\", \"DL\", \"BK\"]  // all\n")
        #expect(throws: ManifestText.Unknown.self) { try text.add("\"BK\"", toConstant: "networkers") }
    }
}

@Suite("Names of channels and features")
struct TemplateNamesTests {
    @Test(
        "a channel's static property is its name with small first letters",
        arguments: [
            ("BK", "bk"), ("HTTPBin", "httpBin"), ("GIPHY", "giphy"), ("Books", "books"), ("B2B", "b2b"), ("A", "a"),
        ])
    func property(name: String, property: String) throws { #expect(try ChannelName(name).property == property) }

    @Test(
        "a wrong name of a channel is rejected with a better one",
        arguments: [
            ("bk", "write BK"), ("books", "write Books"), ("my-shop", "write MyShop"), ("2b", "choose a short name, such as BK"),
            ("", "choose a short name, such as BK"), ("ŞK", "write K"), ("B K", "write BK"), ("../BK", "write BK"),
            ("SELF", "choose another one, such as BK"), ("Channel", "choose another one, such as BK"),
        ])
    func channel(name: String, advice: String) {
        let rejection = #expect(throws: Rejection.self) { try ChannelName(name) }
        #expect(rejection?.advice == advice && rejection?.cause.contains("'\(name)'") == true)
    }

    @Test(
        "a feature's name gives its member, its words and its file",
        arguments: [
            ("OrderList", "orderList", "order list", "order-list"), ("URLList", "urlList", "URL list", "url-list"),
            ("Gifs", "gifs", "gifs", "gifs"), ("Page2", "page2", "page2", "page2"), ("FAQ", "faq", "FAQ", "faq"),
        ])
    func feature(name: String, member: String, phrase: String, slug: String) throws {
        let feature = try FeatureName(name)
        #expect(feature.member == member && feature.phrase == phrase && feature.slug == slug)
    }

    @Test(
        "a wrong name of a feature is rejected with a better one",
        arguments: [
            ("orderList", "write OrderList"), ("order-list", "write OrderList"), ("order list", "write OrderList"),
            ("Output", "choose another one, such as OrderList"), ("Request", "choose another one, such as OrderList"),
            ("/", "choose a short name, such as OrderList"),
        ])
    func wrongFeature(name: String, advice: String) {
        let rejection = #expect(throws: Rejection.self) { try FeatureName(name) }
        #expect(rejection?.advice == advice)
    }

    @Test("keywords get backticks where they are declared")
    func keywords() { #expect("in".declared == "`in`" && "default".declared == "`default`" && "bk".declared == "bk") }
}
