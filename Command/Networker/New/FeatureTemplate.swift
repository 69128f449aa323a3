import CoreAPI
import Foundation

/// The files of a new feature: endpoint, models, interactor, a fixture and a test.
struct FeatureTemplate: Sendable {
    enum Method: String, CaseIterable, Sendable {
        case GET, POST, PUT, PATCH, DELETE

        var hasBody: Bool { self != .GET && self != .DELETE }
        var code: String { ".\(rawValue.lowercased())" }
    }

    let channel: ChannelName
    let name: FeatureName
    let path: PathTemplate
    let method: Method
    /// The static property of the channel: `bk`.
    let property: String
    /// The path of the value in the channel's responses: `result`; empty for the whole body.
    let payload: String

    /// - Parameters:
    ///   - path: `nil` for the name in kebab case.
    ///   - source: the Swift of the channel's networker.
    /// - Throws: ``Rejection`` for an invalid path or method.
    init(_ channel: ChannelName, _ name: FeatureName, path: String?, method: String, source: String) throws {
        self.channel = channel
        self.name = name
        self.path = try PathTemplate(path ?? name.slug)
        guard let method = Method(rawValue: method.uppercased()) else {
            let known = Method.allCases.map(\.rawValue).alternatives
            throw Rejection("expected \(known) after --method, got '\(method.escapingControls)'", do: "write --method GET")
        }
        self.method = method
        property = source.firstMatch(of: /super\.init\(\.(\w+)\)/).map { String($0.output.1) } ?? channel.property
        payload = source.firstMatch(of: /\.payload\(\s*"([\w.]+)"/).map { String($0.output.1) } ?? ""
    }

    func files(in folder: PackageFolder) -> [NewFiles.File] {
        let place = "\(folder.interactors(channel.text))/\(name.text)"
        return [
            .init(path: "\(place)/\(type)EndpointItem.swift", text: endpoint),
            .init(path: "\(place)/\(type)Models.swift", text: models),
            .init(path: "\(place)/\(type)Interactor.swift", text: interactor),
            .init(path: "\(folder.tests(channel.text))/\(type)Tests.swift", text: tests),
            .init(path: "\(folder.fixtures(channel.text))/\(scenario)/\(name.slug).http", text: fixture),
        ]
    }

    // MARK: - Words

    /// `BKOrderList`
    private var type: String { channel.text + name.text }
    private var isList: Bool { name.text.hasSuffix("List") }
    private var scenario: String { "\(channel.text.lowercased())-\(name.slug)" }
    private var deed: (infinitive: String, present: String) {
        method == .GET ? ("fetch", "Fetches the response") : ("send", "Sends the request")
    }
    private var act: String { deed.infinitive + name.text }
    /// The values of the path for the tests.
    private static let value = "1"

    /// The parameters of both methods.
    private var parameters: String { list(path.parameters.map { "\($0): String" }, "_ body: \(type)Request") }
    /// The arguments of the endpoint's case.
    private var arguments: String { list(path.parameters.map { "\($0): \($0.declared)" }, "body") }
    private var caseCode: String { ".\(name.member)" + (arguments.isEmpty ? "" : "(\(arguments))") }
    private var labels: String { path.parameters.map { "\($0):" }.joined() + (method.hasBody ? "_:" : "") }
    /// The arguments in a test.
    private func arguments(_ value: String) -> String { list(path.parameters.map { "\($0): \"\(value)\"" }, "body") }

    private func list(_ parameters: [String], _ body: String) -> String {
        (parameters + (method.hasBody ? [body] : [])).joined(separator: ", ")
    }

    /// A line; the arguments are on a second one if it would be too long.
    private func line(_ indent: Int, _ start: String, _ arguments: String, _ end: String, breaksEnd: Bool = false) -> String {
        let space = String(repeating: " ", count: indent)
        let line = space + start + arguments + end
        guard line.count > 130 else { return line }
        return space + start + "\n" + space + "    " + arguments + (breaksEnd ? "\n" + space : "") + end
    }

    // MARK: - Sources

    private var endpoint: String {
        let values = list(path.parameters.map { "\($0): String" }, "\(type)Request")
        let declaration =
            values.isEmpty ? "    case \(name.member.declared)" : line(4, "case \(name.member.declared)(", values, ")")
        let patterns = list(path.parameters.map { "let \($0.declared)" }, "_")
        let pattern = ".\(name.member)" + (path.parameters.isEmpty ? "" : "(\(patterns))")
        let start = "        case \(pattern):"
        let pathCode =
            (start + path.code).count + 3 <= 130 ? "\(start) \"\(path.code)\"" : "\(start)\n            \"\(path.code)\""
        let params = """

                public var params: Parameters? {
                    switch self {
                    case .\(name.member)(\(list(path.parameters.map { _ in "_" }, "let body"))): Parameters(body)
                    }
                }

            """
        return """
            public import CoreAPI

            /// The request of the feature \(name.text).
            public enum \(type)EndpointItem: Endpoint {
            \(declaration)

                public var path: String {
                    switch self {
            \(pathCode)
                    }
                }

                public var method: HTTPRequest.Method { \(method.code) }
            \(method.hasBody ? params : "")}

            """
    }

    private var models: String {
        let request = """
            /// The body of the request, as JSON. Replace the properties with the real ones.
            public struct \(type)Request: Encodable, Sendable, Hashable {
                public let title: String

                public init(title: String) {
                    self.title = title
                }
            }


            """
        let list = """
            /// The response, with the properties that the app needs, named as in the JSON. Replace them with the real ones.
            public struct \(type)Response: Decodable, Sendable, Hashable {
                public let items: [\(type)Item]
            }

            /// An item of the list.
            public struct \(type)Item: Decodable, Sendable, Hashable, Identifiable {
                public let id: String
                public let title: String
            }

            """
        let single = """
            /// The response, with the properties that the app needs, named as in the JSON. Replace them with the real ones.
            public struct \(type)Response: Decodable, Sendable, Hashable, Identifiable {
                public let id: String
                public let title: String
            }

            """
        return (method.hasBody ? request : "") + (isList ? list : single)
    }

    private var interactor: String {
        let imports = ["CoreAPI", "\(channel.text)Networker"].sorted().map { "public import \($0)" }.joined(separator: "\n")
        let form = "public final class \(type)Interactor:"
        let parents = ["\(channel.text)Networker<\(type)EndpointItem>", "\(type)InteractorInterface"]
        let short = "\(form) \(parents.joined(separator: ", ")) {"
        let head = short.count <= 130 ? short : "\(form)\n    \(parents.joined(separator: ",\n    "))\n{"
        let signature = line(
            4, "public nonisolated func \(name.member.declared)(", parameters,
            ") async throws(APIClientError) -> \(type)Response {", breaksEnd: true)
        let receive = "$0.output?.handle\(name.text)Response($1)"
        let start = "        request(\(caseCode)) {"
        let call = "\(start) \(receive) }"
        let request = call.count <= 130 ? call : "\(start)\n            \(receive)\n        }"
        return """
            \(imports)

            /// The interface of ``\(type)Interactor``, for a presenter.
            @MainActor
            public protocol \(type)InteractorInterface: AnyObject {
                var output: (any \(type)InteractorOutput)? { get set }

                /// \(deed.present), and calls the output exactly once.
            \(line(4, "func \(act)(", parameters, ")"))
            }

            /// Receives the result, on the main actor.
            @MainActor
            public protocol \(type)InteractorOutput: AnyObject {
                func handle\(name.text)Response(_ result: Result<\(type)Response, APIClientError>)
            }

            /// \(deed.present) of the feature \(name.text).
            \(head)
                public weak var output: (any \(type)InteractorOutput)?

            \(line(4, "public func \(act)(", parameters, ") {", breaksEnd: true))
            \(request)
                }

                /// As ``\(act)(\(labels))``, but returns the response. Call it from any actor.
            \(signature)
            \(line(8, "try await networkManager.request(", "endpoint: \(caseCode)", ")"))
                }
            }

            """
    }

    private var tests: String {
        let imports = ["CoreAPI", "CoreAPITesting", "Testing", "\(channel.text)Interactors", "\(channel.text)Networker"]
            .importLines
        let arguments = arguments(Self.value)
        let segments = """

                @Test("a value is one segment of the path, whatever it contains")
                func segments() {
            \(line(8, "let endpoint = \(type)EndpointItem.\(name.member)(", self.arguments("a/b"), ")"))
                    #expect(endpoint.path == "\(path.filled(with: "a%2Fb"))")
                }

            """
        let body = method.hasBody ? "    private let body = \(type)Request(title: \"First\")\n\n" : ""
        let check = { (answer: String) in
            isList ? "#expect(\(answer).items.map(\\.id) == [\"1\", \"2\"])" : "#expect(\(answer).id == \"1\")"
        }
        return """
            \(imports)

            @Suite("\(channel.text): \(name.phrase)", .timeLimit(.minutes(1)))
            struct \(type)Tests {
            \(body)    @Test("decodes the response")
                func decodes() async throws {
                    try await withChannel(.\(property), transport: .fixtures("\(scenario)")) {
            \(line(12, "let answer = try await \(type)Interactor().\(name.member)(", arguments, ")"))
                        \(check("answer"))
                    }
                }

                @Test("a rejection is an error with its status")
                func rejection() async {
                    let transport = FixtureTransport([Fixture(\(method.code), "\(path.filled(with: Self.value))", status: 404)])
                    await withChannel(.\(property), transport: transport) {
                        let error = await #expect(throws: APIClientError.self) {
            \(line(16, "try await \(type)Interactor().\(name.member)(", arguments, ")"))
                        }
                        #expect(error?.label == "verification.unacceptableStatus.404")
                    }
                }

                @Test("in the delegate form the output receives the response")
                @MainActor func delegate() async throws {
                    try await withChannel(.\(property), transport: .fixtures("\(scenario)")) {
                        let interactor = \(type)Interactor()
                        let output = Output()
                        interactor.output = output
            \(line(12, "interactor.\(act)(", arguments, ")"))
                        var results = output.results.makeAsyncIterator()
                        let answer = try #require(await results.next()).get()
                        \(check("answer"))
                    }
                }
            \(path.parameters.isEmpty ? "" : segments)
                @MainActor private final class Output: \(type)InteractorOutput {
                    typealias Answer = Result<\(type)Response, APIClientError>

                    let (results, receive) = AsyncStream.makeStream(of: Answer.self)

                    func handle\(name.text)Response(_ result: Answer) {
                        receive.yield(result)
                    }
                }
            }

            """
    }

    private var fixture: String {
        let items = #"{"items": [{"id": "1", "title": "First"}, {"id": "2", "title": "Second"}]}"#
        var body = isList ? items : #"{"id": "1", "title": "First"}"#
        for key in payload.split(separator: ".").reversed() { body = "{\"\(key)\": \(body)}" }
        return """
            # Replace this answer with one of the real server.
            \(method.rawValue) \(path.filled(with: Self.value))
            200
            content-type: application/json

            \(body)

            """
    }
}
