public import CoreAPI
internal import Foundation
internal import HTTPTypes

/// Signs in to the second-hand shop: a bearer token with every attempt, and a new one for the refresh token when it was refused,
/// once for however many calls were refused together.
///
/// How is ``CoreAPI/BearerAuthentication``'s business; this only knows where the tokens come from.
public struct DLAuthInterceptor: Middleware {
    private let credentials: DLCredentials
    private let bearer: BearerAuthentication

    public init(credentials: DLCredentials) {
        self.credentials = credentials
        bearer = BearerAuthentication(token: credentials.accessToken.revealed) { response in
            let token = try credentials.refreshToken.value(for: response.call) ?? ""
            // Over the very channel that was refused, so that a channel that was swapped refreshes where it speaks.
            return try await NetworkManager<DLTokenEndpoint>(channel: response.call.channel)
                .request(endpoint: .refresh(token: token), type: DLToken.self).accessToken
        }
    }

    /// Fails with ``CoreAPI/MissingCredential`` when there is neither a token nor the means to get one.
    public func handle(_ attempt: Attempt, next: Next) async -> Reply {
        do throws(MissingCredential) {
            // The refresh itself goes through here as well, with its refresh token.
            if !credentials.accessToken.isPresent { _ = try credentials.refreshToken.value(for: attempt.call) }
        } catch {
            return attempt.failed(error, stage: APIClientError.adapting)
        }
        return await bearer.handle(attempt, next: next)
    }

    /// Begins again with the credentials; the token fetched since stays behind.
    public func isolatedCopy() -> any Middleware { DLAuthInterceptor(credentials: credentials) }
}

/// What the second-hand shop knows a user by.
public struct DLCredentials: Sendable, Hashable {
    /// The environment variable that holds the refresh token for production and staging.
    public static let refreshVariable = "DL_REFRESH_TOKEN"
    /// The environment variable that may hold an access token to begin with.
    public static let accessVariable = "DL_ACCESS_TOKEN"

    let refreshToken: Credential
    let accessToken: Credential

    /// - Parameters:
    ///   - refreshToken: buys access tokens.
    ///   - accessToken: what to begin with; `nil` fetches one when the first call is refused.
    public init(refreshToken: String, accessToken: String? = nil) {
        self.refreshToken = Credential(refreshToken, variable: Self.refreshVariable)
        self.accessToken = Credential(accessToken, variable: Self.accessVariable)
    }

    /// Takes what the variables hold; what is absent or empty is missing.
    package init(variables: [String: String]) {
        refreshToken = Credential(variable: Self.refreshVariable, in: variables)
        accessToken = Credential(variable: Self.accessVariable, in: variables)
    }

    /// The sandbox's fixed tokens, of which the access token has always expired, so that a refresh can be watched; for the real hosts
    /// what the process's environment holds at this moment. When it holds none, the calls fail, not this.
    public static func usual(for host: DLHost) -> DLCredentials {
        switch host {
        case .sandbox: DLCredentials(refreshToken: "dl-sandbox-refresh", accessToken: "dl-sandbox-stale")
        case .production, .staging: DLCredentials(variables: ProcessInfo.processInfo.environment)
        }
    }
}

private enum DLTokenEndpoint: Endpoint {
    case refresh(token: String)

    var path: String { "auth/token" }
    var method: HTTPRequest.Method { .post }
    var params: Parameters? {
        switch self {
        case .refresh(let token): ["refreshToken": token]
        }
    }
}

private struct DLToken: Decodable {
    let accessToken: String
}
