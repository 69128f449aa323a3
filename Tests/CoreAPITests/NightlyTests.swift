import TestSupport

/// The script runs in a folder whose other scripts only print their arguments.
@Suite("Scripts/nightly", .timeLimit(.minutes(1)))
struct NightlyTests {
    private final class Folder {
        let path = FileManager.default.temporaryDirectory.appendingPathComponent("nightly-\(UUID().uuidString)")

        /// A child writes the scripts. While this process writes one, a program that another test starts inherits its descriptor
        /// for a moment, and the script cannot run: "Text file busy".
        ///
        /// - Parameter failing: the arguments with which a script exits with 3.
        init(failing: String = "-") async throws {
            let script = #"""
                mkdir -p "$1/Scripts" && cd "$1/Scripts" && cp "$2" nightly || exit
                for name in bench fresh fuzz libcurl peers repeat size soak template test; do
                    printf '#!/bin/sh\necho "%s $*"\n[ "$*" != "%s" ] || exit 3\n' "$name" "$3" >"$name" || exit
                    chmod 755 "$name" || exit
                done
                """#
            let nightly = SourceTree.path("Scripts/nightly")
            let made = try await Program.run(["/bin/sh", "-c", script, "sh", path.path, nightly, failing], capturesErrors: true)
            try #require(made.status == 0, "\(made.text)")
        }

        deinit { try? FileManager.default.removeItem(at: path) }

        /// - Returns: the exit code, and the output with one space between words.
        func run(_ arguments: String...) async throws -> (status: Int32, lines: [String]) {
            let script = path.appendingPathComponent("Scripts/nightly").path
            let outcome = try await Program.run([script] + arguments, capturesErrors: true)
            return (outcome.status, outcome.text.split(separator: "\n").map { $0.split(separator: " ").joined(separator: " ") })
        }

        func log(of part: String) throws -> String {
            try String(contentsOf: path.appendingPathComponent(".build-nightly/\(part).log"), encoding: .utf8)
        }
    }

    @Test("runs every part although one fails, prints a line for each, and exits with 1")
    func failure() async throws {
        let folder = try await Folder(failing: "--sanitize address")
        let (status, lines) = try await folder.run("--seconds", "7")
        #expect(status == 1)
        let parts = lines.map { $0.replacing(#/ \d+ s /#, with: ": ") }
        #expect(
            parts == [
                "template: passed", "size: passed", "fuzz: passed", "json: passed", "memory: passed", "peers: passed",
                "soak: passed", "libcurl: passed", "libcurl8: passed", "fresh: passed", "repeat: passed", "trixie: passed",
                "blocking: passed", "thread: passed", "address: failed with 3, see .build-nightly/address.log",
                "report: passed", "bench: passed", "instructions: passed", "decoding: passed",
            ])
        #expect(try folder.log(of: "fuzz") == "fuzz --seconds 7\n")
        #expect(try folder.log(of: "trixie") == "repeat --times 3 --busy 0 -- --libcurl trixie\n")
        #expect(try folder.log(of: "libcurl8") == "libcurl --libcurl trixie\n")
        #expect(try folder.log(of: "bench") == "bench --check\n")
    }

    @Test("runs the named parts only, and exits with 0 if they pass")
    func parts() async throws {
        let folder = try await Folder()
        let (status, lines) = try await folder.run("decoding", "soak", "--requests", "20000")
        #expect(status == 0 && lines.count == 2)
        #expect(try folder.log(of: "soak") == "soak --requests 20000\n")
        #expect(try folder.log(of: "decoding") == "bench --decoding --check\n")
    }

    @Test("lists its parts, and names an unknown one", arguments: ["", "moon"])
    func list(part: String) async throws {
        let folder = try await Folder()
        let (status, lines) = try await part.isEmpty ? folder.run("--list") : folder.run(part, "--list")
        if part.isEmpty {
            #expect(status == 0 && lines.contains("soak Scripts/soak --requests 1000000"))
        } else {
            #expect(status == 2)
            #expect(
                lines.first?.hasPrefix(
                    "nightly: there is no part \"moon\"; expected one of: template size fuzz json memory peers soak") == true)
        }
        #expect(!FileManager.default.fileExists(atPath: folder.path.appendingPathComponent(".build-nightly").path))
    }
}
