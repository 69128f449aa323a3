import TestSupport

@testable import CoreAPICookies
@testable import CoreAPICore

@Suite("A cookie jar on disk", .closing)
struct CookieFileTests {
    private let folder: URL
    private let clock = JarClock()

    init() throws { folder = try temporaryFolder("cookies") }

    private var file: URL { folder.appendingPathComponent("jar.json") }

    private func load() throws -> CookieJar { try CookieJar(contentsOf: file, now: { [clock] in clock.now }) }

    private func filled() throws -> CookieJar {
        let jar = CookieJar(suffixes: .loaded, now: { [clock] in clock.now })
        try jar.set("id=s3cret \"ş\"; Max-Age=100; Path=/; Secure; HttpOnly; SameSite=Lax; Domain=example.com")
        try jar.set("short=1; Max-Age=10")
        try jar.set("session=1")
        return jar
    }

    @Test("keeps cookies unchanged, and session cookies only on request")
    func roundtrip() throws {
        let jar = try filled()
        try jar.save(to: file)
        let loaded = try load()
        #expect(loaded.cookies == jar.cookies.filter { $0.expires != nil } && loaded.cookies.count == 2)
        try jar.save(to: file, includingSessionCookies: true)
        #expect(try load().cookies == jar.cookies)
    }

    @Test(
        "keeps names and values as the bytes that came, and stays for its owner's eyes",
        arguments: [
            Array("n=Jos".utf8) + [0xE9], [0xFE, 0x3D, 0xFF, 0x80], Array("ş=".utf8) + [0xE9], Array("n=ş".utf8),
            Array("e\u{301}=1".utf8), Array("n=\"Jos".utf8) + [0xE9, 0x22], [0x6E, 0x3D, 0xED, 0xA0, 0x80],
        ])
    func anyBytes(line: [UInt8]) throws {
        let jar = CookieJar(suffixes: .loaded, now: { [clock] in clock.now })
        let address = try HTTPURL("https://a.example/")
        let field = HTTPField(name: .setCookie, lenientValue: line + Array("; Max-Age=100".utf8))
        #expect(jar.store(ResponseHead(status: .ok, headers: HTTPFields([field])), from: address).isEmpty)
        try jar.save(to: file)
        let loaded = try load()
        #expect(loaded.cookies == jar.cookies)
        #expect(loaded.cookies(for: address).map(\.pair) == [line])
        #expect(try FileManager.default.attributesOfItem(atPath: file.path)[.posixPermissions] as? Int == 0o600)
    }

    @Test("expired cookies are neither saved nor loaded")
    func expired() throws {
        let jar = try filled()
        try jar.save(to: file)
        clock.advance(by: 10)
        #expect(try load().cookies.map(\.name) == ["id"])
        try jar.save(to: file)
        #expect(try !String(contentsOf: file, encoding: .utf8).contains("short"))
    }

    @Test("is readable by its owner only, replaces an older file and leaves no other file")
    func mode() throws {
        try Data("{}".utf8).write(to: file)
        try FileManager.default.setAttributes([.posixPermissions: 0o644], ofItemAtPath: file.path)
        let elsewhere = folder.appendingPathComponent("target")
        try Data("untouched".utf8).write(to: elsewhere)
        let link = folder.appendingPathComponent("link.json")
        try FileManager.default.createSymbolicLink(at: link, withDestinationURL: elsewhere)
        let jar = try filled()
        try jar.save(to: file)
        try jar.save(to: link)
        for path in [file.path, link.path] {
            #expect(try FileManager.default.attributesOfItem(atPath: path)[.posixPermissions] as? Int == 0o600)
        }
        #expect(try String(contentsOf: elsewhere, encoding: .utf8) == "untouched")
        #expect(try FileManager.default.contentsOfDirectory(atPath: folder.path).sorted() == ["jar.json", "link.json", "target"])
    }

    @Test("an unreadable or unwritable file is an error that names it")
    func system() throws {
        let file = folder.appendingPathComponent("none/jar.json")
        let missing = #expect(throws: CookieJar.FileError.self) { try CookieJar(contentsOf: file) }
        if case .unreadable? = missing {} else { Issue.record("expected unreadable, got \(missing as Any)") }
        let unwritable = #expect(throws: CookieJar.FileError.self) { try filled().save(to: file) }
        if case .unwritable? = unwritable {} else { Issue.record("expected unwritable, got \(unwritable as Any)") }
        for error in [missing, unwritable] { #expect(error?.localizedDescription.contains(file.path) == true) }
    }

    private static let entry =
        #"{"name":"a","value":"s3cret","domain":"x.example","hostOnly":true,"path":"/","secure":false,"httpOnly":false,"#
        + #""sameSite":"lax","created":1,"lastAccessed":1}"#

    @Test("a cookie for a domain that is or may be a public suffix by now is dropped, the others are kept")
    func suffixes() throws {
        let text = Self.replacing(#""x.example","hostOnly":true"#, #""co.uk","hostOnly":false"#)
        try Data(text.utf8).write(to: file)
        let all = try CookieFile(
            contentsOf: file, suffixes: PublicSuffixList(contains: { _ in false }, accepts: { _, _ in true }))
        #expect(all.cookies.count == 2)
        let kept = try CookieFile(contentsOf: file, suffixes: .loaded).cookies
        #expect(kept.map(\.domain) == all.cookies.map(\.domain).filter { $0 != "co.uk" })
        #expect(try CookieFile(contentsOf: file, suffixes: nil).cookies.allSatisfy { $0.isHostOnly })
    }

    @Test(
        "a file that is no jar is rejected, with what was expected, what came and where",
        arguments: [
            ("", "the top level", "JSON"), ("s3cret", "the top level", "JSON"), ("[]", "the top level", "type"),
            (#"{"cookies":[]}"#, "the top level", "'version'"), (#"{"version":2,"cookies":[]}"#, "version", "2"),
            (#"{"version":1}"#, "the top level", "'cookies'"), (#"{"version":1,"cookies":[7]}"#, "cookies[0]", "type"),
            (#"{"version":1,"cookies":[{"name":"s3cret"}]}"#, "cookies[0]", "key"),
            (replacing(#""a""#, #"null"#), "cookies[1].name", "null"), (replacing(#""a""#, #"7"#), "cookies[1].name", "String"),
            (replacing(#"s3cret"#, #"s3cret\r\nX: y"#), "cookies[1].value", "0xd"),
            (replacing(#"s3cret"#, #"s3cret\u0000"#), "cookies[1].value", "0x0"),
            (replacing(#"s3cret"#, #"s3cret; other=1"#), "cookies[1].value", "';'"),
            (replacing(#""a""#, #""a=b""#), "cookies[1].name", "'='"),
            (replacing(#""a""#, #""a\n""#), "cookies[1].name", "0xa"),
            (replacing(#""name""#, #""encoding":"utf-7","name""#), "cookies[1].encoding", "utf-7"),
            (replacing(#""a""#, #""ş","encoding":"iso-8859-1""#), "cookies[1].name", "ISO-8859-1"),
            (replacing(#"s3cret"#, #"s3cretĀ","encoding":"iso-8859-1"#), "cookies[1].value", "ISO-8859-1"),
            (replacing(#"s3cret"#, #"s3cret\u0000","encoding":"iso-8859-1"#), "cookies[1].value", "0x0"),
            (replacing(#""a""#, #""a;\u0301x""#), "cookies[1].name", "';'"),
            (replacing(#"s3cret"#, #"s3cret;\u0301 other=1"#), "cookies[1].value", "';'"),
            (replacing(#""a""#, #""__Host-a""#), "cookies[1].name", "prefix"),
            (replacing(#""a""#, #""""#).replacing("s3cret", with: "a=s3cret"), "cookies[1].name", "read as another"),
            (replacing(#"x.example"#, #"X.example"#), "cookies[1].domain", "lower"),
            (replacing(#"x.example"#, ""), "cookies[1].domain", "host"), (replacing(#""/""#, #""x""#), "cookies[1].path", "'/'"),
            (replacing(#""/""#, #""/\n""#), "cookies[1].path", "0xa"), (replacing("lax", "Lax"), "cookies[1].sameSite", "'Lax'"),
            (replacing("s3cret", String(repeating: "x", count: 4_096)), "cookies[1].value", "4097"),
            (String(repeating: "[", count: 513), "the top level", "JSON"),
        ].map { (Abbreviated($0), $1, $2) })
    func malformed(_ content: Abbreviated, _ path: String, _ part: String) throws {
        try Data(content.text.utf8).write(to: file)
        let error = #expect(throws: CookieJar.FileError.self) { try CookieJar(contentsOf: file) }
        guard case .malformed(file.path, path, _, _) = error else {
            Issue.record("expected a flaw at \(path), got \(error as Any)")
            return
        }
        let description = error?.localizedDescription ?? ""
        #expect(
            description.contains(part) && description.contains(file.path) && !description.contains("s3cret"), "\(description)"
        )
    }

    private static func replacing(_ old: String, _ new: String) -> String {
        #"{"version":1,"cookies":[\#(entry),\#(entry.replacingOccurrences(of: old, with: new))]}"#
    }
}
