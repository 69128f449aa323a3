import ArgumentParser
import TestSupport

@testable import NetworkerCommand

@Suite("The page The command")
struct CommandPageTests {
    private static let channel = Channel("BK", hosts: [.production: "https://api.books.example/v1"])

    private static func page() throws -> String {
        let file = TemporaryPackage.kit.appendingPathComponent("CoreAPI/Umbrella/CoreAPI.docc/TheCommand.md")
        return try String(contentsOf: file, encoding: .utf8)
    }

    private func withChannel<Value>(_ operation: () throws -> Value) rethrows -> Value {
        try CommandSetup.$current.withValue(CommandSetup(registry: ChannelRegistry([Self.channel])), operation: operation)
    }

    private func help(of command: any ParsableCommand.Type) -> String {
        ([command.helpMessage(columns: 200)] + command.configuration.subcommands.map { help(of: $0) }).joined(separator: "\n")
    }

    @Test("names only options that --help describes")
    func options() throws {
        let text = withChannel { help(of: RootCommand.self) }
        let described = Set(text.matches(of: /--[a-z][a-z-]*/).map { String($0.output) })
        let named = Set(try Self.page().matches(of: /--[a-z][a-z-]*/).map { String($0.output) })
        #expect(named.count > 15)
        // ArgumentParser's own, which no help shows, and SwiftPM's.
        #expect(named.subtracting(described) == ["--generate-completion-script", "--package-path", "--show-bin-path"])
    }

    @Test("has command lines that the command accepts")
    func lines() throws {
        let page = try Self.page()
        let inline = page.matches(of: /`(networker [^`\n]+)`/).map { String($0.output.1) }
        let shown = page.split(separator: "\n").filter { $0.hasPrefix("networker ") }.map(String.init)
        #expect(inline.count > 3 && shown.count > 8)
        for line in inline + shown {
            // The page shortens a digest; a shell takes the rest.
            let digest = "47DEQpj8HBSa+/TImW+5JCeuQeRkm5NMpJWZG3hSuFU="
            let words = line.replacing("e3b0…", with: digest).split(separator: " ").dropFirst().prefix {
                !["|", ">", "<"].contains($0)
            }
            withChannel {
                #expect(throws: Never.self, "\(line)") {
                    let command = try RootCommand.parseAsRoot(words.map(String.init))
                    if let call = command as? CallCommand { _ = try call.plan() }
                }
            }
        }
    }
}
