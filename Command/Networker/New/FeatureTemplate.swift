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
    let path: String
    let method: Method
    /// The static property of the channel: `bk`.
    let property: String
    /// The path of the value in the channel's answers: `result`; empty for the whole body.
    let payload: String

    /// - Parameters:
    ///   - path: `nil` for the name in kebab case.
    ///   - source: the Swift of the channel's networker.
    /// - Throws: ``Refusal`` for an invalid path or method.
    init(_ channel: ChannelName, _ name: FeatureName, path: String?, method: String, source: String) throws {
        self.channel = channel
        self.name = name
        self.path = try path.map(Self.checked) ?? name.slug
        guard let method = Method(rawValue: method.uppercased()) else {
            let known = Method.allCases.map(\.rawValue).alternatives
            throw Refusal("expected \(known) after --method, got '\(method.escapingControls)'", do: "write --method GET")
        }
        self.method = method
        property = source.firstMatch(of: /super\.init\(\.(\w+)\)/).map { String($0.output.1) } ?? channel.property
        payload = source.firstMatch(of: /\.payload\(\s*"([\w.]+)"/).map { String($0.output.1) } ?? ""
    }

    /// The path goes into a Swift string and into a fixture's first line.
    private static func checked(_ path: String) throws -> String {
        let path = String(path.drop { $0 == "/" })
        let isPlain = path.allSatisfy { $0.isASCII && ($0.isLetter || $0.isNumber || "-._~/?=&,:;@!$+*%".contains($0)) }
        guard !path.isEmpty, isPlain, (try? HTTPURL("https://host/\(path)"))?.target == "/\(path)", path.count <= 60 else {
            throw Refusal(
                "expected a path such as orders or orders?page=1 after --path, got '\(path.escapingControls)'",
                do: "write the fixed form, such as --path orders/7; the endpoint can have \\(segment: id) afterwards")
        }
        return path
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
        method == .GET ? ("fetch", "Fetches the answer") : ("send", "Sends the request")
    }
    private var act: String { deed.infinitive + name.text }
    /// The parameter of both methods.
    private var parameter: String { method.hasBody ? "_ body: \(type)Request" : "" }
    private var endpointCode: String { ".\(name.member)" + (method.hasBody ? "(body)" : "") }
    private var label: String { method.hasBody ? "_:" : "" }

    // MARK: - Sources

    private var endpoint: String {
        let payload = method.hasBody ? "(\(type)Request)" : ""
        let params = """

                public var params: Parameters? {
                    switch self {
                    case .\(name.member)(let body): Parameters(body)
                    }
                }

            """
        return """
            public import CoreAPI

            /// The request of the feature \(name.text).
            public enum \(type)EndpointItem: Endpoint {
                case \(name.member.declared)\(payload)

                public var path: String {
                    switch self {
                    case .\(name.member): "\(path)"
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
            /// The answer, with the properties that the app needs, named as in the JSON. Replace them with the real ones.
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
            /// The answer, with the properties that the app needs, named as in the JSON. Replace them with the real ones.
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
        let line = "\(form) \(parents.joined(separator: ", ")) {"
        let head = line.count <= 130 ? line : "\(form)\n    \(parents.joined(separator: ",\n    "))\n{"
        let start = "    public nonisolated func \(name.member.declared)("
        let end = ") async throws(APIClientError) -> \(type)Response {"
        let signature =
            (start + parameter + end).count <= 130 ? start + parameter + end : "\(start)\n        \(parameter)\n    \(end)"
        return """
            \(imports)

            /// The interface of ``\(type)Interactor``, for a presenter.
            @MainActor
            public protocol \(type)InteractorInterface: AnyObject {
                var output: (any \(type)InteractorOutput)? { get set }

                /// \(deed.present), and calls the output exactly once.
                func \(act)(\(parameter))
            }

            /// Receives the result, on the main actor.
            @MainActor
            public protocol \(type)InteractorOutput: AnyObject {
                func handle\(name.text)Response(_ result: Result<\(type)Response, APIClientError>)
            }

            /// \(deed.present) of the feature \(name.text).
            \(head)
                public weak var output: (any \(type)InteractorOutput)?

                public func \(act)(\(parameter)) {
                    request(\(endpointCode)) { $0.output?.handle\(name.text)Response($1) }
                }

                /// As ``\(act)(\(label))``, but returns the answer. Call it from any actor.
            \(signature)
                    try await networkManager.request(endpoint: \(endpointCode))
                }
            }

            """
    }

    private var tests: String {
        let imports = ["CoreAPI", "CoreAPITesting", "Testing", "\(channel.text)Interactors", "\(channel.text)Networker"]
            .importLines
        let argument = method.hasBody ? "body" : ""
        let body = method.hasBody ? "    private let body = \(type)Request(title: \"First\")\n\n" : ""
        let check = { (answer: String) in
            isList ? "#expect(\(answer).items.map(\\.id) == [\"1\", \"2\"])" : "#expect(\(answer).id == \"1\")"
        }
        return """
            \(imports)

            @Suite("\(channel.text): \(name.phrase)", .timeLimit(.minutes(1)))
            struct \(type)Tests {
            \(body)    @Test("decodes the answer")
                func decodes() async throws {
                    try await withChannel(.\(property), transport: .fixtures("\(scenario)")) {
                        let answer = try await \(type)Interactor().\(name.member)(\(argument))
                        \(check("answer"))
                    }
                }

                @Test("a refusal is an error with its status")
                func refusal() async {
                    let transport = FixtureTransport([Fixture(\(method.code), "\(path)", status: 404)])
                    await withChannel(.\(property), transport: transport) {
                        let error = await #expect(throws: APIClientError.self) {
                            try await \(type)Interactor().\(name.member)(\(argument))
                        }
                        #expect(error?.label == "verification.unacceptableStatus.404")
                    }
                }

                @Test("in the delegate form the output receives the answer")
                @MainActor func delegate() async throws {
                    try await withChannel(.\(property), transport: .fixtures("\(scenario)")) {
                        let interactor = \(type)Interactor()
                        let output = Output()
                        interactor.output = output
                        interactor.\(act)(\(argument))
                        var results = output.results.makeAsyncIterator()
                        let answer = try #require(await results.next()).get()
                        \(check("answer"))
                    }
                }

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
            \(method.rawValue) \(path)
            200
            content-type: application/json

            \(body)

            """
    }
}
