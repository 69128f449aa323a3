public import CoreAPI
public import Foundation

/// Shows the marketplace who is calling: `x-api-key` with every attempt. Keeps nothing that changes.
public struct TYAuthInterceptor: RequestInterceptor {
    private let credentials: TYCredentials

    public init(credentials: TYCredentials) {
        self.credentials = credentials
    }

    /// - Throws: ``TYCredentials/Missing`` when there is no API key.
    public func adapt(_ request: inout Request) async throws {
        guard let key = credentials.apiKey else { throw TYCredentials.Missing(variable: TYCredentials.variable) }
        try request.setHeader("x-api-key", key)
    }
}

/// What the marketplace knows a caller by.
public struct TYCredentials: Sendable, Hashable {
    /// The environment variable that holds the API key for production and staging.
    public static let variable = "TY_API_KEY"

    let apiKey: String?

    public init(apiKey: String) {
        self.apiKey = apiKey
    }

    /// Takes what the variables hold; what is absent or empty is missing.
    package init(variables: [String: String]) {
        // Set to nothing is how a variable is unset in many a CI.
        apiKey = variables[Self.variable].flatMap { $0.isEmpty ? nil : $0 }
    }

    /// The sandbox's fixed key, and for the real hosts what the process's environment holds at this moment. When it holds none, the
    /// calls fail, not this.
    public static func usual(for host: TYHost) -> TYCredentials {
        switch host {
        case .sandbox: TYCredentials(apiKey: "ty-sandbox-key")
        case .production, .staging: TYCredentials(variables: ProcessInfo.processInfo.environment)
        }
    }

    /// There is no API key.
    public struct Missing: Error, Hashable, LocalizedError {
        /// The environment variable that was expected.
        public let variable: String

        public var errorDescription: String? {
            "expected the marketplace's API key in the environment variable \(variable), or in Channel.ty(_:credentials:)"
        }
    }
}
