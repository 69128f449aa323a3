public import CoreAPI
internal import Foundation

/// Shows the marketplace who is calling: `x-api-key` with every attempt. Keeps nothing that changes.
public struct TYAuthInterceptor: RequestInterceptor {
    private let credentials: TYCredentials

    public init(credentials: TYCredentials) {
        self.credentials = credentials
    }

    /// - Throws: ``CoreAPI/MissingCredential`` when there is no API key.
    public func adapt(_ request: inout Request) async throws {
        guard let key = try credentials.apiKey.value(for: request.call) else { return }
        try request.setHeader("x-api-key", key)
    }
}

/// What the marketplace knows a caller by.
public struct TYCredentials: Sendable, Hashable {
    /// The environment variable that holds the API key for production and staging.
    public static let variable = "TY_API_KEY"

    let apiKey: Credential

    public init(apiKey: String) {
        self.apiKey = Credential(apiKey, variable: Self.variable)
    }

    /// Takes what the variables hold; what is absent or empty is missing.
    package init(variables: [String: String]) {
        apiKey = Credential(variable: Self.variable, in: variables)
    }

    /// The sandbox's fixed key, and for the real hosts what the process's environment holds at this moment. When it holds none, the
    /// calls fail, not this.
    public static func usual(for host: TYHost) -> TYCredentials {
        switch host {
        case .sandbox: TYCredentials(apiKey: "ty-sandbox-key")
        case .production, .staging: TYCredentials(variables: ProcessInfo.processInfo.environment)
        }
    }
}
