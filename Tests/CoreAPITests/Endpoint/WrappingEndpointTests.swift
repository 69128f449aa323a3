import CoreAPITransfers
import CoreAPIWebSocket
import TestSupport

@testable import CoreAPICore

@Suite("Endpoints that wrap another")
struct WrappingEndpointTests {
    /// Has a value other than the default for every requirement.
    private struct Whole: Endpoint {
        var baseURL: String { "https://base.example" }
        var path: String { "path" }
        var method: HTTPMethod { .patch }
        var headers: Headers { ["X-Own": "1"] }
        var params: Parameters? { ["a": 1] }
        var url: String { "https://whole.example/path" }
        var description: String { "a whole endpoint" }
        var encoding: InputEncoding { InputEncoding("its own encoding") { _, _ in } }
        var modifiers: [any RequestModifier] { [Header("X-Modifier", "1")] }
        var keyPath: String { "data.items" }
        var modifierLevels: [[any RequestModifier]] { [[Header("X-Level", "1")]] }
    }

    private struct Same: WrappingEndpoint { let wrapped: any Endpoint }

    private final class Recorder: Dispatcher {
        let endpoint = Mutex<(any Endpoint)?>(nil)
        private let url: HTTPURL

        init() throws { url = try HTTPURL("https://h.example") }

        func response<Value: Sendable>(for endpoint: any Endpoint, as decoding: ResponseDecoding<Value>) async -> Response<Value>
        {
            self.endpoint.withLock { $0 = endpoint }
            let call = Call(channel: .test(transport: RecordingTransport()), endpoint: endpoint.description)
            let request = Request(call: call, method: endpoint.method, url: url)
            let error = APIClientError(CancellationError(), APIClientError.Context(request))
            return Response(request: request, result: .failure(error))
        }
    }

    enum Wrapper: CaseIterable {
        case same, attaching, failing, upload, uploadStep, webSocket

        func wrap(_ endpoint: some Endpoint) async throws -> any Endpoint {
            let recorder = try Recorder()
            switch self {
            case .same: return Same(wrapped: endpoint)
            case .attaching: return endpoint.attaching(Header("X-Call", "1"))
            case .failing:
                // Its folder does not exist, so that there is nothing to ask the server for.
                let file = URL(fileURLWithPath: "/nonexistent/\(UUID().uuidString)/file")
                _ = try? await recorder.download(endpoint, to: file).value
            case .upload: _ = try? await recorder.upload(endpoint, from: .bytes(Data("a".utf8))).value
            case .uploadStep: try? await recorder.discard(Self.state(), of: endpoint)
            case .webSocket: _ = try? await recorder.webSocket(endpoint)
            }
            return try #require(recorder.endpoint.withLock { $0 })
        }

        /// Parts that are meant to differ.
        var changed: Set<String> {
            switch self {
            case .failing: ["encoding"]
            case .uploadStep: ["baseURL", "method", "url"]
            default: []
            }
        }

        private static func state() throws -> ResumableUpload.State {
            let text = #"{"url":"https://h.example/u","dialect":"tus","offset":0,"source":""}"#
            return try JSONDecoder().decode(ResumableUpload.State.self, from: Data(text.utf8))
        }
    }

    private static let parts: [String: @Sendable (any Endpoint) -> String] = [
        "baseURL": { $0.baseURL }, "path": { $0.path }, "method": { $0.method.rawValue }, "headers": { "\($0.headers)" },
        "params": { "\(String(describing: $0.params?.value))" }, "url": { $0.url }, "description": { $0.description },
        "encoding": { $0.encoding.name }, "modifiers": { "\($0.modifiers)" }, "keyPath": { $0.keyPath },
        "modifierLevels": { "\($0.modifierLevels.first ?? [])" },
    ]

    @Test("they have every part of the wrapped endpoint, but for those that they replace", arguments: Wrapper.allCases)
    func forwards(_ wrapper: Wrapper) async throws {
        let (endpoint, wrapped) = (Whole(), try await wrapper.wrap(Whole()))
        #expect(Set(Self.parts.filter { $0.value(endpoint) != $0.value(wrapped) }.keys) == wrapper.changed)
    }

    @Test("the test above compares every requirement of an endpoint")
    func everyRequirement() throws {
        let source = try String(contentsOfFile: SourceTree.path("CoreAPI/Core/Describe/Endpoint.swift"), encoding: .utf8)
        let names = source.matches(of: /\n    var (\w+): .+ \{ get \}/).map { String($0.output.1) }
        // The caller asks the wrapped endpoint for its output before it is wrapped.
        #expect(Set(names) == Set(Self.parts.keys).union(["decoding"]))
    }
}
