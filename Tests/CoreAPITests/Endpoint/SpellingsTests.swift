import Testing

@Suite("Spellings of other libraries", .timeLimit(.minutes(2)))
struct SpellingsTests {
    struct Case: Sendable, CustomStringConvertible {
        let declaration: String
        /// What the compiler has to say; `nil` where it has to take the declaration.
        let advice: String?

        var description: String { declaration }
    }

    private static func endpoint(_ member: String, _ advice: String?) -> Case {
        Case(
            declaration:
                "enum Subject: Endpoint { case a; var path: String { \"\" }; var method: HTTPMethod { .get }; \(member) }",
            advice: advice)
    }

    private static func hook(_ hook: String, _ member: String, _ advice: String?) -> Case {
        Case(declaration: "struct Subject: \(hook) { \(member) }", advice: advice)
    }

    static let headers = "`var headers: Headers`"
    static let params = "`var params: Parameters?`"
    static let adapt = "`func adapt(_ request: inout Request) async throws`"
    static let retry = "`func retry(_ response: Response<Void>, dueTo error: APIClientError) async -> RetryResult`"
    static let enhance = "`func enhance(_ request: inout Request) throws`"
    static let deenhance = "`func deenhance(_ response: inout Response<Data>)`"

    static let refused: [Case] = [
        endpoint("var params: [String: Any]? { [:] }", params),
        endpoint("var params: [String: Any] { [:] }", params),
        endpoint("var params: [String: String] { [:] }", params),
        endpoint("var params: Parameters { [:] }", params),
        endpoint("var params: (any Encodable)? { nil }", params),
        endpoint("var params: [URLQueryItem] { [] }", params),
        endpoint("var headers: [String: String] { [:] }", headers),
        endpoint("var headers: [String: String]? { nil }", headers),
        endpoint("var headers: [String: Any] { [:] }", headers),
        endpoint("var headers: Headers? { nil }", headers),
        endpoint("var headers: HTTPFields { [:] }", headers),
        endpoint("var headers: [Header] { [] }", headers),
        endpoint("var httpHeaderFields: [String: String]? { nil }", headers),
        endpoint("var httpHeaderFields: Headers { [:] }", headers),
        endpoint("var httpHeaders: [String: String] { [:] }", headers),
        endpoint("var header: [String: String]? { nil }", headers),
        endpoint("var baseUrl: String { \"https://a.example\" }", "`var baseURL: String`"),
        endpoint("var baseUrl: URL { URL(string: \"https://a.example\")! }", "`var baseURL: String`"),
        endpoint("var baseURL: URL { URL(string: \"https://a.example\")! }", "`var baseURL: String`"),
        endpoint("var baseURL: URL? { nil }", "`var baseURL: String`"),
        endpoint("var baseURL: String? { nil }", "`var baseURL: String`"),
        endpoint("var url: URL { URL(string: \"https://a.example\")! }", "`var url: String`"),
        endpoint("var parameters: [String: Any]? { nil }", params),
        endpoint("var parameters: [String: String] { [:] }", params),
        endpoint("var parameters: Parameters? { nil }", params),
        endpoint("var queryParameters: [String: String]? { nil }", params),
        endpoint("var queryItems: [URLQueryItem]? { nil }", params),
        endpoint("var bodyParameters: [String: Any] { [:] }", params),
        endpoint("var body: [String: Any]? { nil }", params),
        endpoint("enum Task { case plain }; var task: Task { .plain }", params),
        endpoint("var authorizationType: Int { 1 }", "`BearerAuthentication`"),
        endpoint("var keyPathForData: String? { \"data\" }", "`var keyPath: String`"),
        endpoint("var specificHeaderTypes: [String] { [] }", headers),
        endpoint("var header: [Header] { [] }", headers),
        endpoint("var inputEncoding: InputEncoding { .json }", "`var encoding: InputEncoding`"),
        endpoint("var queryItems: [QueryItem] { [] }", params),
        endpoint("var body: Data? { nil }", params),
        endpoint("var body: Data { Data() }", params),
        endpoint("var body: (any Encodable)? { nil }", params),
        endpoint("var body: any Encodable { 1 }", params),
        endpoint("var body: (any Encodable & Sendable)? { nil }", params),
        endpoint("var parameters: (any Encodable)? { nil }", params),
        endpoint("var parameters: Data? { nil }", params),
        endpoint("var query: [String: String] { [:] }", params),
        endpoint("var query: [URLQueryItem]? { nil }", params),
        endpoint("var queryItems: [String] { [] }", params),
        endpoint("var queryParams: [String: String]? { nil }", params),
        endpoint("var httpBody: Data? { nil }", params),
        endpoint("var urlParameters: [String: Any]? { nil }", params),
        endpoint("var bodyParams: Int? { nil }", params),
        endpoint("var requestBody: (any Encodable)? { nil }", params),
        endpoint("var additionalHeaders: [String: String] { [:] }", headers),
        endpoint("var allHTTPHeaderFields: [String: String]? { nil }", headers),
        endpoint("var requestHeaders: [String: String] { [:] }", headers),
        endpoint("var host: String { \"a.example\" }", "`var baseURL: String`"),
        endpoint("var scheme: String { \"https\" }", "`var baseURL: String`"),
        endpoint("var baseURLString: String { \"https://a.example\" }", "`var baseURL: String`"),
        endpoint("var timeout: Double { 5 }", "`Timeout`"),
        endpoint("var validationType: Int { 2 }", "`StatusCodeResponseVerifier`"),
        endpoint("var requestMethod: String { \"POST\" }", "`var method: HTTPMethod`"),
        endpoint("var bodyEncoding: String { \"json\" }", "`var encoding: InputEncoding`"),
        endpoint("var encoding: String { \"json\" }", "`var encoding: InputEncoding`"),
        endpoint("var parameterEncoding: InputEncoding { .json }", "`var encoding: InputEncoding`"),
        endpoint("var modifiers: [any RequestModifier]? { nil }", "`var modifiers: [any RequestModifier]`"),
        endpoint("var modifiers: [Header] { [] }", "`var modifiers: [any RequestModifier]`"),
        endpoint("var keyPath: String? { nil }", "`var keyPath: String`"),
        endpoint("var httpMethod: String { \"POST\" }", "`var method: HTTPMethod`"),
        endpoint("var sampleData: Data { Data() }", "`Fixture`"),
        endpoint("var timeoutInterval: Double { 5 }", "`Timeout`"),
        endpoint("var cachePolicy: CachePolicy { .noStore }", "`CachePolicy`"),
        Case(
            declaration:
                "struct Subject: Endpoint { let headers: [String: String]; var path: String { \"\" }; var method: HTTPMethod { .get } }",
            advice: headers),
        Case(
            declaration:
                "class Subject: Endpoint, @unchecked Sendable { var path: String { \"\" }; var method: HTTPMethod { .get }; var params: [String: Any]? { nil } }",
            advice: params),
        hook("RequestInterceptor", "func adapt(_ request: Request) async throws -> Request { request }", adapt),
        hook("RequestInterceptor", "func adapt(_ request: Request) -> Request { request }", adapt),
        hook("RequestInterceptor", "func adapt(_ request: Request) async throws {}", adapt),
        hook("RequestInterceptor", "func adapt(_ request: URLRequest) throws -> URLRequest { request }", adapt),
        hook(
            "RequestInterceptor",
            "func adapt(_ request: Request, completion: @escaping (Result<Request, any Error>) -> Void) {}", adapt),
        hook("RequestInterceptor", "func adapt(_ request: Request, completion: (Request) -> Void) {}", adapt),
        hook(
            "RequestInterceptor",
            "func adapt(_ urlRequest: URLRequest, for session: Int, completion: @escaping (Result<URLRequest, any Error>) -> Void) {}",
            adapt),
        hook(
            "RequestInterceptor",
            "func retry(_ request: Request, for session: Int, dueTo error: any Error, completion: @escaping (RetryResult) -> Void) {}",
            retry),
        hook(
            "RequestInterceptor", "func retry(_ request: Request, dueTo error: any Error) async -> RetryResult { .retry }", retry),
        hook(
            "RequestInterceptor",
            "func retry(_ response: Response<Data>, dueTo error: APIClientError) async -> RetryResult { .retry }", retry),
        hook(
            "RequestInterceptor", "func retry(_ response: Response<Void>, dueTo error: APIClientError) async -> Bool { true }",
            retry),
        hook("RequestInterceptor", "func adapt(_ request: inout URLRequest) {}", adapt),
        hook("RequestInterceptor", "func adapt(_ request: inout URLRequest) async throws {}", adapt),
        hook("RequestInterceptor", "func adapt(request: Request) async throws -> Request { request }", adapt),
        hook("RequestInterceptor", "func adapt(request: URLRequest) -> URLRequest { request }", adapt),
        hook(
            "RequestInterceptor",
            "func retry(_ request: Request, dueTo error: any Error, completion: @escaping (RetryResult) -> Void) {}", retry),
        hook("RequestEnhancer", "func enhance(request: Request) -> Request { request }", enhance),
        hook("RequestEnhancer", "func deenhance(response: Response<Data>) -> Response<Data> { response }", deenhance),
        hook("RequestEnhancer", "func deenhance(_ response: Response<Data>) -> Response<Data> { response }", deenhance),
        hook("RequestEnhancer", "func deenhance(response: inout Response<JSONValue>) {}", deenhance),
        hook("RequestEnhancer", "func enhance(request: inout Request) {}", enhance),
        hook("RequestEnhancer", "func enhance(_ request: Request) -> Request { request }", enhance),
        hook("RequestEnhancer", "func enhance(_ request: inout URLRequest) {}", enhance),
        hook("RequestEnhancer", "func deenhance(response: inout Response<Data>) {}", deenhance),
        hook("RequestEnhancer", "func deenhance(_ response: inout Response<JSONValue>) {}", deenhance),
        hook("RequestEnhancer", "static var priority: Int { 5 }", "`static var priority: Priority`"),
        hook("RequestEnhancer", "var instancePriority: Priority { .high }", "`var instancePriority: Priority?`"),
        hook(
            "EndpointProvider", "static var implicitModifiers: [Header] { [] }",
            "`static var implicitModifiers: [any RequestModifier]`"),
        hook(
            "EndpointProvider", "static var baseURL: String { \"https://a.example\" }",
            "`static var implicitModifiers: [any RequestModifier]`"),
        hook("EndpointProvider", "static var headers: Headers { [:] }", "`static var implicitModifiers: [any RequestModifier]`"),
        hook("EnvironmentType", "let name = \"\"; let baseURL = \"\"; let commonHeaders: Headers = [:]", "`APIEnvironment`"),
        hook(
            "EnvironmentType", "let name = \"\"; let baseURL = \"\"; var serverTrustManager: ServerTrustManager { .system }",
            "`APIEnvironment`"),
        hook(
            "EnvironmentType", "let name = \"\"; let baseURL = \"\"; var mayBeSimulated: Bool { true }", "`var isSimulated: Bool`"
        ),
        hook(
            "EnvironmentType", "let name = \"\"; let baseURL = \"\"; var isSimulated: Bool? { true }", "`var isSimulated: Bool`"),
        hook(
            "ResponseVerifier", "func verify(response: Response<Data>) -> (any Error)? { nil }",
            "does not conform to protocol 'ResponseVerifier'"),
        hook(
            "ErrorHandler", "func canResolveError(response: Response<Void>) -> Bool { true }",
            "does not conform to protocol 'ErrorHandler'"),
        Case(
            declaration: "func subject(_ channel: inout Channel) { channel.logger = { event in print(event) } }",
            advice: "`FunctionLogger { event in … }`"),
        Case(
            declaration: "func subject(_ request: Request) { request.retry(max: 3, delay: .seconds(1)) { print(1) } }",
            advice: "`try await response.retry(max:delay:)`"),
        Case(
            declaration: "func subject(_ request: Request) { request.retry(max: 3) { refusal in print(refusal) } }",
            advice: "`try await response.retry(max:delay:)`"),
    ]

    static let taken: [Case] = [
        endpoint(
            "var params: Parameters? { [\"a\": 1] }; var headers: Headers { [\"X\": \"1\"] }; var keyPath: String { \"data\" }",
            nil),
        endpoint("var baseURL: String { \"https://a.example\" }; var encoding: InputEncoding { .json }", nil),
        endpoint("var url: String { \"https://a.example/b\" }; var modifiers: [any RequestModifier] { [] }", nil),
        Case(
            declaration:
                "struct Trip: Encodable, Sendable {}; struct Subject: Endpoint { let parameters: Int; let body: Trip; let header: Header; let query: String; var path: String { \"\" }; var method: HTTPMethod { .get } }",
            advice: nil),
        hook("RequestInterceptor", "", nil),
        hook("RequestInterceptor", "func adapt(_ request: inout Request) {}", nil),
        hook(
            "RequestInterceptor", "func retry(_ response: Response<Void>, dueTo error: APIClientError) -> RetryResult { .retry }",
            nil),
        hook("RequestEnhancer", "static let priority = Priority.high; func enhance(_ request: inout Request) {}", nil),
        hook(
            "RequestEnhancer", "let instancePriority: Priority? = .low; func deenhance(_ response: inout Response<Data>) {}", nil),
        hook("EndpointProvider", "static let implicitModifiers: [any RequestModifier] = []", nil),
        hook("RequestEnhancer", "func deenhance(_ response: inout Response<Data>) throws {}", nil),
        hook(
            "RequestInterceptor",
            "func retry(_ response: Response<Void>, dueTo error: APIClientError) async throws -> RetryResult { .retry }", nil),
        hook("EnvironmentType", "let name = \"\"; let baseURL = \"\"; let isSimulated = true", nil),
        Case(
            declaration: "func subject(_ channel: inout Channel) { channel.logger = FunctionLogger { event in print(event) } }",
            advice: nil),
    ]

    /// What the compiler says of every declaration, by its index. All in one file, because every run imports the kit anew.
    private static let complaints = Task<[Int: String], any Error> {
        let all = refused + taken
        var text = "import CoreAPI\nimport Foundation\n#if canImport(FoundationNetworking)\nimport FoundationNetworking\n#endif\n"
        let first = 6
        // Each in a scope of its own, in one line.
        for (index, subject) in all.enumerated() {
            text += "enum Scope\(index) { \(subject.declaration.replacing("func subject", with: "static func subject")) }\n"
        }
        var complaints: [Int: String] = [:]
        for line in (try await Compiler.complaint(about: text) ?? "").split(separator: "\n") {
            guard let match = line.firstMatch(of: /snippet\.swift:(\d+):\d+: (?:error|note): (.*)/), let number = Int(match.1)
            else { continue }
            complaints[number - first, default: ""] += match.2 + "\n"
        }
        return complaints
    }

    @Test("do not compile, and the compiler names the right spelling", arguments: refused.indices)
    func refusal(index: Int) async throws {
        let subject = Self.refused[index]
        let said = try await Self.complaints.value[index] ?? ""
        #expect(said.contains(subject.advice ?? "") && !said.isEmpty, "\(subject.declaration): \(said)")
    }

    @Test("leave the kit's own spellings, and values of an endpoint's own, alone", arguments: taken.indices)
    func acceptance(index: Int) async throws {
        #expect(try await Self.complaints.value[Self.refused.count + index] == nil, "\(Self.taken[index].declaration)")
    }
}
