import TestSupport

@testable import NetworkerCommand

@Suite("networker port", .closing)
struct PortTests {
    private static func endpoint(_ member: String) -> String { "enum E: Endpoint { \(member) }" }

    /// What other clients' users write, and what the finding has to name.
    static let foreign: [(source: String, here: String)] =
        [
            "var params: [String: Any]? { [:] }", "var params: Parameters { [:] }", "var parameters: [String: String] { [:] }",
            "var queryItems: [URLQueryItem]? { nil }", "var body: Data? { nil }", "var task: Task { .plain }",
            "var bodyParameters: [String: Any] { [:] }", "let encodableParameters: Login", "var httpBody: Data? { nil }",
        ].map { (endpoint($0), "Endpoint.params|Parameters?") }
        + [
            "var headers: [String: String] { [:] }", "var headers: Headers? { nil }", "var httpHeaders: [String: String] { [:] }",
            "var header: [String: String]? { nil }", "var sampleHeaders: [String: String] { [:] }",
        ].map { (endpoint($0), "Endpoint.headers|var headers: Headers") }
        + [
            "var baseUrl: String { \"https://a.example\" }", "var baseURL: URL { url }", "var baseURL: String? { nil }",
            "let host: String",
        ].map { (endpoint($0), "Endpoint.baseURL|var baseURL: String") }
        + [
            (endpoint("var url: URL { u }"), "var url: String"),
            (endpoint("var parameterEncoding: InputEncoding { .json }"), "Endpoint.encoding"),
            (endpoint("var timeout: Double { 5 }"), "Timeout"), (endpoint("var sampleData: Data { Data() }"), "Fixture"),
            (endpoint("var keyPath: String? { nil }"), "var keyPath: String"),
            (endpoint("var validationType: ValidationType { .none }"), "StatusCodeResponseVerifier"),
            ("extension E: TargetType { var method: Moya.Method { .get } }", "Endpoint"),
            ("let provider = MoyaProvider<Shop>(plugins: [])", "CommonDispatcher"),
            ("let fetcher = Fetcher(baseUrl: url)", "CommonDispatcher"),
            ("fetcher.request(ThingEndpoints.add, input: thing) { response in }", "manager.request(endpoint(x))"),
            ("let text: SupportedType = [:]", "JSONValue"), ("BaseUrl(\"https://a.example\")", "BaseURL"),
            ("struct Token: Header { let value: String }", "Header"),
            ("enum Pins: Certificate { case api }", "PinnedCertificate"),
            ("struct Filter: ErrorFilter { }", "ErrorFiltering"),
            ("response.request.retry(max: 3, delay: 1) { give() }", "Response.retry(max:delay:)"),
            ("NetworkManager(sessionManager: session, host: host)", "transport:"),
            ("class Logger: NetworkLoggerInterface {}", "NetworkLogger"), ("catch let error as AFError {", "APIClientError"),
            ("Session.default; AF.request(url).validate().responseDecodable(of: A.self) { _ in }", "StatusCodeResponseVerifier"),
            ("let task = URLSession.shared.dataTask(with: request)", "CurlTransport"),
            ("RequestLogging.requestUrl", "RequestLogging.url"),
            ("POST<A, B>(\"x\", inputEncoding: FormInputEncoding())", "InputEncoding"),
            (
                "struct I: RequestInterceptor { func adapt(_ request: URLRequest) throws -> URLRequest { request } }",
                "inout Request"
            ),
            (
                "struct I: RequestInterceptor { func retry(_ r: Request, dueTo e: any Error, completion: (RetryResult) -> Void) {} }",
                "Response<Void>"
            ),
            ("struct I: RequestEnhancer { func deenhance(response: inout Response<Data>) {} }", "inout Response<Data>"),
            ("struct I: RequestEnhancer { static var priority: Int { 5 } }", "static var priority: Priority"),
            ("enum P: EndpointProvider { static var baseURL: String { \"\" } }", "implicitModifiers"),
            ("enum H: String, EnvironmentType { var commonHeaders: Headers { [:] } }", "APIEnvironment"),
        ]

    @Test("finds each form of another client, and names the one here", arguments: foreign.indices)
    func finds(index: Int) throws {
        let (source, here) = Self.foreign[index]
        let findings = PortingScan("// a comment\n\(source)\n").findings
        let names = here.split(separator: "|")
        #expect(findings.contains { finding in names.contains { finding.row.here.contains($0) } }, "\(source): \(findings)")
        #expect(findings.allSatisfy { $0.line == 2 })
    }

    @Test("finds nothing in the kit's own forms, in comments and in texts")
    func ownForms() throws {
        let own = ##"""
            // MoyaProvider, /* Fetcher( */ AFError
            /* TargetType /* nested */ AFError */
            enum Orders: Endpoint {
                case list(page: Int)
                var path: String { "MoyaProvider \(list.path) AFError" }
                var headers: Headers { ["a": #"SupportedType \#(x) "# ] }
                var params: Parameters? { nil }
                var modifiers: [any RequestModifier] { let body: Data? = nil; return [] }
                struct Inner { var parameters: [String: Any] }
            }
            struct I: RequestInterceptor {
                func adapt(_ request: inout Request) async throws {}
                func retry(_ response: Response<Void>, dueTo error: APIClientError) async -> RetryResult { .doNotRetry }
                var body: Data?
            }
            struct View { var body: some View { text } }
            """##
        #expect(PortingScan(own).findings == [])
    }

    @Test("finds nothing in the channels and the interactors of this repository")
    func ownSources() throws {
        let root = TemporaryPackage.kit.path
        for folder in ["Channels", "Interactors", "Demo/Tour"] {
            let report = try PortingReport(of: "\(root)/\(folder)")
            #expect(report.records.isEmpty, "\(report.rendered())")
        }
    }

    @Test("prints file, line, finding and form, and exits with 1; JSON has the same")
    func prints() async throws {
        let folder = try temporaryFolder("port")
        try Data("import Foundation\nimport  Moya\nlet api = MoyaProvider<Shop>()\nextension Shop: TargetType {}\n".utf8)
            .write(to: folder.appendingPathComponent("Old.swift"))
        try await BuiltCommand.expect(
            ["port", folder.path], 1, "/Old.swift:2: import Moya\n",
            "\(folder.path)/Old.swift:3: MoyaProvider\n  here: `CommonDispatcher`\n",
            "  otherwise: An endpoint's base URL wins over the environment's. ", "3 findings in 1 file\n")
        let json = try await BuiltCommand.run(["port", folder.path, "--json"])
        let records = try #require(try JSONSerialization.jsonObject(with: Data(json.text.utf8)) as? [[String: Any]])
        #expect(json.status == 1 && records.map { $0["line"] as? Int } == [2, 3, 4])
        try Data("import CoreAPI\n".utf8).write(to: folder.appendingPathComponent("Old.swift"))
        try await BuiltCommand.expect(["port", folder.path], 0, "nothing of another client in 1 file\n")
        try await BuiltCommand.expect(["port", "/nowhere"], 64)
    }

    @Test(
        "has the tables and lists of the pages 'Coming from …'; Scripts/pages writes them", arguments: PortingRow.Client.allCases)
    func pages(client: PortingRow.Client) throws {
        let path = "CoreAPI/Umbrella/CoreAPI.docc/ComingFrom\(client.rawValue).md"
        let page = try String(contentsOf: TemporaryPackage.kit.appendingPathComponent(path), encoding: .utf8)
        let parts = PortingPage(client)
        #expect(page.contains("\n\(parts.table)\n\n") && page.hasSuffix("\n\n\(parts.differences)\n"), "\(path)")
    }

    @Test("knows each line of what behaves otherwise that a row names")
    func otherwise() {
        let titles = Set(PortingTable.differences.map(\.title))
        for row in PortingTable.rows { #expect(titles.isSuperset(of: row.otherwise), "\(row.yours)") }
    }
}
