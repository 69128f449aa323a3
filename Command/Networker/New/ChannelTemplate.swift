import ArgumentParser
import CoreAPI
import Foundation

/// The files of a new channel.
struct ChannelTemplate: Sendable {
    let name: ChannelName
    /// For people.
    let title: String
    /// The base URL, without a slash at its end.
    let host: String

    /// - Parameters:
    ///   - title: `nil` for the name.
    ///   - host: a base URL, which may be as short as an ``Address``; `nil` for a placeholder.
    /// - Throws: ``Rejection`` for a title that does not fit on a line, and for an invalid host.
    init(_ name: ChannelName, title: String?, host: String?) throws {
        let title = title ?? name.text
        guard !title.isEmpty, title.count <= 60, title == title.escapingControls else {
            throw Rejection("expected a title of 1 to 60 characters, on one line, after --title", do: "write --title \"Books\"")
        }
        self.name = name
        self.title = title
        self.host = try host.map(Self.base) ?? "https://api.\(name.text.lowercased()).example"
    }

    private static func base(_ text: String) throws -> String {
        do {
            guard let address = try Address(text), address.string.count <= 80 else {
                throw ValidationError("it is no address of at most 80 characters")
            }
            let base = address.string.trimmingSlashes
            guard !base.contains(where: { "?#\"\\".contains($0) }) else { throw ValidationError("it has a query") }
            return base
        } catch {
            let reason = (error as? ValidationError)?.message ?? error.readableDescription
            throw Rejection(
                "expected a base URL after --host, got '\(text.escapingControls)': \(reason)",
                do: "write --host https://api.books.example/v1")
        }
    }

    func files(in folder: PackageFolder) -> [NewFiles.File] {
        let channel = name.text
        return [
            .init(path: folder.networkerFile(channel), text: networker),
            .init(path: "\(folder.interactors(channel))/\(channel)Interactors.swift", text: interactors),
            .init(path: "\(folder.tests(channel))/\(channel)ChannelTests.swift", text: tests),
            .init(path: "\(folder.fixtures(channel))/\(scenario)/rejection.http", text: fixture),
        ]
    }

    private var scenario: String { "\(name.text.lowercased())-rejection" }
    private var titleCode: String { title.replacing("\\", with: "\\\\").replacing("\"", with: "\\\"") }

    private var hostCode: String {
        host.hasPrefix("http:")
            ? "APIEnvironment(baseURL: \"\(host)\", allowsInsecureConnections: true)" : "\"\(host)\""
    }

    private var networker: String {
        let channel = name.text
        return """
            public import CoreAPI

            // One function of the rest of Foundation adds 45 MB to a static binary.
            #if canImport(FoundationEssentials)
            public import FoundationEssentials
            #else
            public import Foundation
            #endif

            /// The base class of the interactors for \(title).
            /// Its `networkManager` sends over `Channel.\(name.property)`.
            open class \(channel)Networker<E: Endpoint>: ChannelNetworker<E> { public init() { super.init(.\(name.property)) } }

            extension Channel {
                /// \(title). For a key, add `.credential(.header("x-api-key", .environment("\(channel.uppercased())_API_KEY")))`.
                public static let \(name.property.declared) = Channel(
                    "\(channel)", "\(titleCode)",
                    hosts: [.production: \(hostCode)]
                )
                .with { $0.errorFilter = .rejection(\(channel)Error.self) }
            }

            /// The JSON in the body of a rejected response. `error.app(\(channel)Error.self)` returns it.
            public struct \(channel)Error: LocalizedError, Decodable, Hashable {
                /// The reason, for people.
                public let message: String

                public var errorDescription: String? { message }
            }

            """
    }

    private var interactors: String {
        """
        // A file that imports the features needs the channel and its errors, too.
        @_exported public import \(name.text)Networker

        """
    }

    private var tests: String {
        let channel = name.text
        let imports = ["\(channel)Networker", "CoreAPI", "CoreAPITesting", "Foundation", "Testing"].importLines
        return """
            \(imports)

            @Suite("\(channel): channel", .timeLimit(.minutes(1)))
            struct \(channel)ChannelTests {
                @Test("no host has a problem")
                func problems() {
                    for (host, _) in Channel.\(name.property).hosts {
                        #expect(Channel.\(name.property).at(host).problems.isEmpty, "\\(host.rawValue)")
                    }
                }

                @Test("the body of a rejection arrives as the channel's own error")
                func rejection() async {
                    await withChannel(.\(name.property), transport: .fixtures("\(scenario)")) {
                        let manager = \(channel)Networker<Never>().networkManager
                        let error = await #expect(throws: APIClientError.self) {
                            try await manager.request(.get("missing"), as: Data.self)
                        }
                        #expect(error?.app(\(channel)Error.self)?.message == "There is no such page.")
                    }
                }
            }

            """
    }

    private var fixture: String {
        """
        # Replace this answer with an error of the real server, and give \(name.text)Error the same form.
        GET missing
        404
        content-type: application/json

        {"message": "There is no such page."}

        """
    }

    /// The program of a command for this channel.
    var program: String {
        let imports = ["\(name.text)Networker", "NetworkerCommand"].importLines
        return """
            \(imports)

            @main enum Program {
                static func main() async { await NetworkerCommand.main(channels: [.\(name.property)]) }
            }

            """
    }
}

extension [String] {
    /// One import a line, in the order of `swift format`.
    var importLines: String { Set(self).sorted().map { "import \($0)" }.joined(separator: "\n") }
}
