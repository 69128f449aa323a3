import ArgumentParser
import CoreAPITransfers
import TestSupport

@testable import NetworkerCommand

@Suite("networker download", .closing)
struct DownloadCommandTests {
    @Test(
        "exits with 64 for an invalid command line, and states what was expected",
        arguments: [
            ("", "expected an address, or a channel and a path"), ("XX a", "unknown channel 'XX'"),
            ("TY", "expected a path after 'TY'"),
            ("POST example.com/a", "a download is a GET, got POST"), ("example.com/a a=@/nowhere", "cannot read"),
            ("example.com/a a@b", "which needs a form"), ("example.com", "does not name the file"),
            ("example.com/", "does not name the file"), ("example.com/a/..%2fb", "does not name the file"),
            ("example.com/.bashrc", "does not name the file"), ("example.com/a%0Ab", "does not name the file"),
            ("example.com/a%2F%CC%81b", "does not name the file"), ("example.com/.%CC%81a", "does not name the file"),
            ("example.com/\(String(repeating: "a", count: 256))", "File name too long; expected --output with another"),
            ("example.com/a -o \(String(repeating: "a", count: 256))", "File name too long"),
            ("example.com/a -o -", "expected --output with a file"), ("example.com/a -o /tmp", "it is a folder"),
            ("example.com/a -o /nowhere/at/all", "its folder does not exist"), ("example.com/a --parts 0", "from 1 to 16"),
            ("example.com/a --parts 17", "from 1 to 16"), ("example.com/a --retry -1", "from 0 to 9"),
            ("example.com/a --digest md5=aaaa", "expected sha-256="), ("example.com/a --digest sha-256=00", "expected sha-256="),
            ("example.com/a --limit-rate 0", "expected bytes per second"), ("example.com/a --limit-rate 5x", "expected bytes"),
            ("example.com/a --timeout 0", "expected more than 0"), ("example.com --host https://x", "--host is for a channel"),
            ("example.com/a Accept-Encoding:gzip", "a download sets Accept-Encoding itself"),
            ("example.com/a range:bytes=1-", "a download sets range itself"),
        ])
    func usage(line: String, message: String) throws {
        let text = try rejection(DownloadCommand.self, line) { _ = try $0.file(of: $0.plan()) }
        #expect(text.contains(message), "\(text)")
    }

    @Test("takes a channel with or without GET, and names the file after the path")
    func words() throws {
        for line in ["TY exports/may.csv?a=b", "ty GET exports/may.csv x==1", "https://example.com/exports/may.csv#top"] {
            let file = try CommandSetup.$current.withValue(CommandSetup(registry: .standard)) {
                let command = try DownloadCommand.parse(line.split(separator: " ").map(String.init))
                return try command.file(of: try command.plan())
            }
            #expect(file.lastPathComponent == "may.csv")
        }
    }

    @Test("reads rates", arguments: [("1", 1), ("500k", 500_000), ("2.5M", 2_500_000), ("1g", 1_000_000_000)])
    func rates(text: String, expected: Int) throws { #expect(try ByteAmount(text).bytes == expected) }

    @Test("shows a bar, or a line without one, and counts no bytes of an earlier run in the speed")
    func bar() {
        var half = TransferProgress(completed: 1_200_000, total: 2_400_000)
        let line = "50 %  1.2 MB of 2.4 MB  600 kB/s"
        #expect(ProgressBar.line(half, after: .seconds(2)) == line)
        #expect(ProgressBar.bar(half, after: .seconds(2)) == "████████████░░░░░░░░░░░░  \(line)")
        for (columns, bar) in [(60, "████████████░░░░░░░░░░░░  "), (43, "████░░░░  "), (36, "")] {
            #expect(ProgressBar.bar(half, after: .seconds(2), columns: columns) == bar + line)
        }
        half.reused = 1_000_000
        #expect(ProgressBar.line(half, after: .seconds(2)) == "50 %  1.2 MB of 2.4 MB  100 kB/s")
        let open = TransferProgress(completed: 1_200_000, total: nil)
        #expect(ProgressBar.bar(open, after: .seconds(2)) == "1.2 MB  600 kB/s")
    }

    /// Runs the command in a folder, and expects its exit code, parts of what it prints, and no others.
    private func expect(
        _ arguments: String..., in folder: URL, status: Int32 = 0, _ parts: [String], without others: [String] = [],
        sourceLocation: SourceLocation = #_sourceLocation
    ) async throws {
        let outcome = try await BuiltCommand.shell(
            "command=$1; cd \"$2\"; shift 2; exec \"$command\" download \"$@\"", [folder.path] + arguments)
        let isRight = outcome.status == status && parts.allSatisfy(outcome.text.contains)
        let found = others.filter(outcome.text.contains)
        #expect(isRight && found.isEmpty, "\(arguments): \(outcome.status), \(outcome.text)", sourceLocation: sourceLocation)
    }

    @Test("writes the file, names the verified digest, and continues an interrupted download")
    func downloads() async throws {
        let folder = try temporaryFolder("download")
        let bytes = Data((0..<200_000).map { UInt8(truncatingIfNeeded: $0 / 7) })
        let isRenewed = Shared(false)
        let server = try LoopbackServer.test { request in
            if request.path == "/gone.bin" { return .status(404, body: Data("gone\u{1B}\n".utf8)) }
            if request.path == "/renewed.bin", request.headers["range"] != nil { return .status(416) }
            guard let range = request.headers["range"] else {
                let isCut = request.path == "/cut.bin" || request.path == "/renewed.bin" && !isRenewed.exchange(true)
                return [
                    .sendHead(status: 200, headers: ["ETag": #""a""#, "Content-Length": "\(bytes.count)"]),
                    .sendBody(isCut ? bytes.prefix(60_000) : bytes), .closeConnection,
                ]
            }
            let first = Int(range.dropFirst(6).dropLast()) ?? 0
            let part = "bytes \(first)-\(bytes.count - 1)/\(bytes.count)"
            return .status(206, body: bytes[first...], headers: ["ETag": #""a""#, "Content-Range": part])
        }
        let (may, cut) = (server.url + "/may.bin", server.url + "/cut.bin")
        try await expect(may, in: folder, ["may.bin: 200 kB in ", "100 %"], without: ["cannot be continued"])
        #expect(try Data(contentsOf: folder.appendingPathComponent("may.bin")) == bytes)
        try await expect(may, in: folder, status: 64, ["'may.bin' exists"])

        try await expect(server.url + "/gone.bin", in: folder, status: 1, ["gone\\u{1B}\nerror: "])
        try await expect(cut, "--retry", "0", in: folder, status: 1, ["error: ", "hint: --resume continues"])
        try await expect(cut, "--resume", in: folder, ["60 kB of them from before"])
        #expect(try Data(contentsOf: folder.appendingPathComponent("cut.bin")) == bytes)
        #expect(server.requests.last?.headers["range"] == "bytes=60000-")

        try await expect(cut, "-o", "anew.bin", "--retry", "0", in: folder, status: 1, [])
        let lost = "'anew.bin.part' cannot be continued"
        try await expect(may, "-o", "anew.bin", "--resume", in: folder, [lost], without: ["from before"])
        try await expect(server.url + "/renewed.bin", in: folder, ["'renewed.bin.part' cannot be continued"])

        for digest in [String(repeating: "0", count: 64), Data(count: 32).base64EncodedString()].map({ "sha-256=\($0)" }) {
            let damaged = "the file is damaged: expected \(digest), found sha-256="
            try await expect(may, "-o", "other.bin", "--digest", digest, in: folder, status: 1, [damaged], without: [":AAAA"])
        }
        let files = try FileManager.default.contentsOfDirectory(atPath: folder.path).sorted()
        #expect(files == ["anew.bin", "cut.bin", "may.bin", "renewed.bin"])
    }

    @Test("names a verified digest in the form in which it was given, and else in hexadecimal digits")
    func digestForm() throws {
        let digest = try #require(ContentDigest(.sha256, Array(repeating: 0xAB, count: 32)))
        let hexadecimal = try DigestArgument("sha-256=" + String(repeating: "Ab", count: 32))
        let base64 = try DigestArgument("SHA-256=" + Data(digest.bytes).base64EncodedString())
        #expect([hexadecimal].form(of: digest) == String(repeating: "ab", count: 32))
        #expect([base64].form(of: digest) == Data(digest.bytes).base64EncodedString())
        #expect([].form(of: digest) == nil)
    }

    @Test("shows one changing line with a bar on a terminal, and plain lines in a pipe", arguments: [true, false])
    func terminal(isTerminal: Bool) async throws {
        let folder = try temporaryFolder("download")
        let server = try LoopbackServer.test { _ in
            [
                .sendHead(status: 200, headers: ["Content-Length": "20000"]),
                .throttled(Data(count: 20_000), chunkSize: 5_000, interval: .milliseconds(100)),
            ]
        }
        let line = "'\(BuiltCommand.path)' download \(server.url)/may.bin -o '\(folder.path)/may.bin'"
        // script(1) runs a program in a terminal of its own.
        let outcome = try await Program.run(
            isTerminal ? ["script", "-qec", line, "/dev/null"] : ["/bin/sh", "-c", line],
            environment: ["HOME": "/tmp", "PATH": "/usr/bin:/bin"], capturesErrors: true)
        #expect(outcome.status == 0, "\(outcome.text)")
        let updates = outcome.text.components(separatedBy: "\r\u{1B}[K").dropFirst()
        #expect(isTerminal ? updates.count > 1 : updates.isEmpty, "\(outcome.text)")
        #expect(outcome.text.contains("█") == isTerminal && outcome.text.contains("100 %"), "\(outcome.text)")
        #expect(updates.dropLast().allSatisfy { !$0.contains(where: \.isNewline) }, "\(outcome.text)")
        if !isTerminal { #expect(outcome.text.split(separator: "\n").count { $0.contains(" of 20 kB") } > 1, "\(outcome.text)") }
    }

    @Test("after Ctrl-C it keeps all bytes, says where, and ends by the signal", arguments: [true, false])
    func interrupted(isContinuable: Bool) async throws {
        let folder = try temporaryFolder("download")
        let gate = try Gate()
        let bytes = Data(repeating: 7, count: 100_000)
        @Sendable func headers(_ name: String, _ value: String) -> HeaderLines {
            isContinuable ? ["ETag": #""a""#, name: value] : [name: value]
        }
        let server = try LoopbackServer.test { request in
            guard let range = request.headers["range"] else {
                return [
                    .sendHead(status: 200, headers: headers("Content-Length", "100000")), .sendBody(bytes.prefix(60_000)),
                    .waitFor(gate),
                ]
            }
            let first = Int(range.dropFirst(6).dropLast()) ?? 0
            return .status(206, body: bytes[first...], headers: headers("Content-Range", "bytes \(first)-99999/100000"))
        }
        // The signal follows the line of 60 %: all bytes so far are in the part then.
        let script = """
            cd "$2"; mkfifo lines; "$1" download "$3" 2>lines & exec 3<lines
            while read -r line <&3; do echo "$line"; case $line in "60 %"*) kill -INT $!;; esac; done; wait $!
            """
        let cut = try await BuiltCommand.shell(script, [folder.path, server.url + "/may.bin"])
        #expect(cut.status == 130, "\(cut.text)")
        guard isContinuable else {
            #expect(cut.text.contains("hint: nothing is kept"), "\(cut.text)")
            return
        }
        #expect(cut.text.contains("hint: 60 kB are kept in 'may.bin.part'; --resume continues"), "\(cut.text)")
        try await expect(server.url + "/may.bin", "--resume", in: folder, ["60 kB of them from before"])
        #expect(try Data(contentsOf: folder.appendingPathComponent("may.bin")) == bytes)
    }
}
