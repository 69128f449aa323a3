import TestSupport

@Suite("An endpoint's members of another library", .timeLimit(.minutes(2)))
struct SpellingsTests {
    /// A declaration, and what the compiler has to say; `nil` where it has to take the declaration.
    typealias Case = (declaration: String, advice: String?)

    private static func endpoint(_ member: String, _ advice: String? = nil) -> Case {
        ("enum Subject: Endpoint { case a; var path: String { \"\" }; var method: HTTPMethod { .get }; \(member) }", advice)
    }

    static let headers = "`var headers: Headers`"
    static let params = "`var params: Parameters?`"

    static let rejected: [Case] = [
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
        endpoint("var baseUrl: String { \"https://a.example\" }", "`var baseURL: String`"),
        endpoint("var baseUrl: URL { URL(string: \"https://a.example\")! }", "`var baseURL: String`"),
        endpoint("var baseURL: URL { URL(string: \"https://a.example\")! }", "`var baseURL: String`"),
        endpoint("var baseURL: URL? { nil }", "`var baseURL: String`"),
        endpoint("var baseURL: String? { nil }", "`var baseURL: String`"),
        endpoint("var url: URL { URL(string: \"https://a.example\")! }", "`var url: String`"),
        endpoint("var parameters: [String: Any]? { nil }", params),
        endpoint("var parameters: [String: String] { [:] }", params),
        endpoint("var parameters: Parameters? { nil }", params),
        endpoint("var queryItems: [URLQueryItem]? { nil }", params),
        endpoint("enum Task { case plain }; var task: Task { .plain }", params),
        endpoint("var queryItems: [QueryItem] { [] }", params),
        endpoint("var parameters: Data? { nil }", params),
        endpoint("var queryItems: [String] { [] }", params),
        endpoint("var encoding: String { \"json\" }", "`var encoding: InputEncoding`"),
        endpoint("var modifiers: [any RequestModifier]? { nil }", "`var modifiers: [any RequestModifier]`"),
        endpoint("var modifiers: [Header] { [] }", "`var modifiers: [any RequestModifier]`"),
        endpoint("var keyPath: String? { nil }", "`var keyPath: String`"),
        (
            "struct Subject: Endpoint { let headers: [String: String]; var path: String { \"\" }; var method: HTTPMethod { .get } }",
            headers
        ),
        (
            "class Subject: Endpoint, @unchecked Sendable { var path: String { \"\" }; var method: HTTPMethod { .get }; "
                + "var params: [String: Any]? { nil } }", params
        ),
    ]

    static let taken: [Case] = [
        endpoint(
            "var params: Parameters? { [\"a\": 1] }; var headers: Headers { [\"X\": \"1\"] }; var keyPath: String { \"data\" }"),
        endpoint("var baseURL: String { \"https://a.example\" }; var encoding: InputEncoding { .json }"),
        endpoint("var url: String { \"https://a.example/b\" }; var modifiers: [any RequestModifier] { [] }"),
        (
            "struct Trip: Encodable, Sendable {}; struct Subject: Endpoint { let parameters: Trip; let body: Trip; "
                + "let header: Header; let query: String; var path: String { \"\" }; var method: HTTPMethod { .get } }", nil
        ),
    ]

    /// What the compiler says of every declaration, by its index. All in one file, because every run imports the kit anew.
    private static let complaints = Task<[Int: String], any Error> {
        let all = rejected + taken
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

    @Test("do not compile, and the compiler names the right spelling", arguments: rejected.indices)
    func rejection(index: Int) async throws {
        let subject = Self.rejected[index]
        let said = try await Self.complaints.value[index] ?? ""
        #expect(said.contains(subject.advice ?? "") && !said.isEmpty, "\(subject.declaration): \(said)")
    }

    @Test("leave the kit's own spellings, and values of an endpoint's own, alone", arguments: taken.indices)
    func acceptance(index: Int) async throws {
        #expect(try await Self.complaints.value[Self.rejected.count + index] == nil, "\(Self.taken[index].declaration)")
    }
}
