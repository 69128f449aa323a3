import TestSupport

@testable import NetworkerKitDemo

@Suite("The sandbox's authority file")
struct AuthorityFileTests {
    private let path = FileManager.default.temporaryDirectory.appendingPathComponent("authority-\(UUID().uuidString).pem").path

    @Test("is readable by its user only, replaces an old one, and is removed unless another sandbox has replaced it")
    func life() throws {
        let file = AuthorityFile(path: path)
        try file.write("first")
        try file.write("second")
        #expect(FileManager.default.contents(atPath: path) == Data("second".utf8))
        let mode = try FileManager.default.attributesOfItem(atPath: path)[.posixPermissions] as? NSNumber
        #expect(mode?.intValue == 0o600)
        for (text, isThere) in [("first", true), ("second", false)] {
            file.remove(ifStill: text)
            #expect(FileManager.default.fileExists(atPath: path) == isThere)
        }
    }

    @Test("replaces a link instead of writing through it")
    func link() throws {
        let victim = path + ".victim"
        try Data("untouched".utf8).write(to: URL(fileURLWithPath: victim))
        try FileManager.default.createSymbolicLink(atPath: path, withDestinationPath: victim)
        let file = AuthorityFile(path: path)
        try file.write("mine")
        #expect(FileManager.default.contents(atPath: victim) == Data("untouched".utf8))
        file.remove(ifStill: "mine")
        try FileManager.default.removeItem(atPath: victim)
    }

    @Test("has the system's error if it cannot be written")
    func unwritable() {
        let error = #expect(throws: AuthorityFile.Failure.self) { try AuthorityFile(path: "/proc/version/all.pem").write("x") }
        #expect(error?.errorDescription == "cannot write the authority to /proc/version/all.pem: Not a directory")
    }
}

@Suite("The text of a sandbox that is ready")
struct SandboxGreetingTests {
    @Test("has a command to paste, with --host if the port is not the usual one")
    func host() {
        func greeting(_ port: Int) -> String {
            SandboxGreeting(port: port, authorityPath: "/a.pem", channels: [("TY", "https://localhost:\(port)/ty")]).rendered()
        }
        for line in ["events ML orders/ml-o-1/events", "ws ID orders/ID-48201/courier", "call TY GET discovery/v1/products"] {
            #expect(greeting(8_443).contains("networker \(line)"))
        }
        #expect(greeting(8_443).contains("size=2\n"))
        #expect(greeting(9_000).contains("size=2 --host https://localhost:9000/ty\n"))
        #expect(greeting(9_000).contains("curl --cacert /a.pem https://localhost:9000/health"))
    }
}
