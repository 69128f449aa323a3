/// What a client of another kind has, and what takes its place here.
struct PortingRow: Sendable, Equatable {
    /// A client that teams come from. Each has a page "Coming from …".
    enum Client: String, CaseIterable, Sendable {
        case alamofire = "Alamofire"
        case moya = "Moya"
        case fetcher = "Fetcher"
        case handWritten = "AHandWrittenClient"
    }

    /// A type whose members the kit reads or calls. Others it would ignore, because each has a default.
    enum Kind: CaseIterable, Sendable {
        case endpoint, interceptor, enhancer, provider, environment

        /// The protocols that such a type conforms to, here and elsewhere.
        var protocols: Set<String> {
            switch self {
            case .endpoint:
                ["Endpoint", "TargetType", "EndpointType", "APIEndpoint", "URLRequestConvertible", "AccessTokenAuthorizable"]
            case .interceptor: ["RequestInterceptor", "RequestAdapter", "RequestRetrier"]
            case .enhancer: ["RequestEnhancer"]
            case .provider: ["EndpointProvider"]
            case .environment: ["EnvironmentType"]
            }
        }
    }

    /// Markdown, for the pages.
    let yours: String
    /// Markdown with links to symbols, for the pages.
    let ours: String
    let clients: [Client]
    /// Sequences of tokens, such as `[".", "getDecodable"]` of `.getDecodable`.
    var forms: [(text: String, tokens: [String])] = []
    /// Members that the kit does not read, in types of a kind: `static baseURL` for one of the type itself.
    var members: (kind: Kind, names: Set<String>)?
    /// Members and methods that the kit reads in one form only: the type of `headers`, the parameters of `adapt`.
    var declarations: (kind: Kind, rightForms: [String: [String]])?
    /// The first sentences of lines of "What behaves otherwise".
    var otherwise: [String] = []

    static func == (left: PortingRow, right: PortingRow) -> Bool { left.yours == right.yours && left.ours == right.ours }

    /// A row of names and other sequences of tokens.
    init(_ clients: [Client], _ yours: String, _ ours: String, _ forms: String..., otherwise: String...) {
        (self.clients, self.yours, self.ours, self.otherwise) = (clients, yours, ours, otherwise)
        self.forms = forms.map { ($0, SwiftText($0).tokens.map(\.text)) }
    }

    /// A row of members that the kit does not read.
    init(_ clients: [Client], of kind: Kind, _ names: [String], _ ours: String, otherwise: String...) {
        let list = names.map { "`\($0)`" }.joined(separator: ", ")
        (self.clients, self.ours, self.otherwise) = (clients, ours, otherwise)
        yours = "\(list) of \(kind.article)"
        members = (kind, Set(names))
    }

    /// A row of a member or a method that the kit reads in one form.
    ///
    /// - Parameter form: the type of a property, `Headers`, or the parameters of a method, `(_ x: inout Request)`, with `x` for a
    ///   name that is free.
    init(_ clients: [Client], of kind: Kind, _ name: String, as form: String, _ ours: String, otherwise: String...) {
        (self.clients, self.ours, self.otherwise) = (clients, ours, otherwise)
        yours = "another `\(name)` of \(kind.article)"
        declarations = (kind, [name: SwiftText(form).tokens.map(\.text)])
    }

    /// ``ours`` as text.
    var here: String { ours.withoutLinks }
}

extension String {
    /// Markdown whose links to symbols and pages are names: `Endpoint.params` in place of ``Endpoint/params``.
    var withoutLinks: String {
        replacing("``", with: "`").replacing(/<doc:([A-Za-z]+)(?:#[^>]*)?>/) { "the page \($0.output.1)" }
            .replacing(/`([A-Z][A-Za-z]*)\/([^`]+)`/) { "`\($0.output.1).\($0.output.2)`" }
    }
}

extension PortingRow.Kind {
    fileprivate var article: String {
        switch self {
        case .endpoint: "an endpoint"
        case .interceptor: "an interceptor"
        case .enhancer: "an enhancer"
        case .provider: "an endpoint provider"
        case .environment: "an environment"
        }
    }
}

/// A line of "What behaves otherwise".
struct PortingDifference: Sendable {
    /// The first sentence.
    let title: String
    /// The change that restores the other behaviour.
    let change: String
    let clients: [PortingRow.Client]

    init(_ clients: [PortingRow.Client], _ title: String, _ change: String) {
        (self.clients, self.title, self.change) = (clients, title, change)
    }
}
