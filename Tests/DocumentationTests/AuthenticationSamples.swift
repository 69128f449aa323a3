import CoreAPI
import CoreAPICore
import Foundation

// Shown on the page "Authentication"; what they do is tested in AuthenticationTests.

struct TokenPair: Codable, Sendable {
    let accessToken: String
    let refreshToken: String
}

/// Begins with the tokens of the environment, or of `Channel.bazaar.at(_:credentials:)`.
extension Channel {
    static let bazaar = Channel("Bazaar", hosts: [.production: "https://api.bazaar.example"])
        .with { channel in
            channel.attemptMiddleware = [
                BearerAuthentication(
                    .environment("BAZAAR_ACCESS_TOKEN"), refreshToken: .environment("BAZAAR_REFRESH_TOKEN")
                ) { refreshToken, response in
                    try await CommonDispatcher(channel: response.call.channel)
                        .request(.post("token", body: ["refreshToken": refreshToken]), as: TokenPair.self).accessToken
                }
            ]
        }
}

/// Keeps the refresh token, which the server replaces with each use (RFC 6749 §6).
actor RefreshToken {
    private var token: String

    init(_ token: String) {
        self.token = token
    }

    func renew(through channel: Channel) async throws -> String {
        let dispatcher = CommonDispatcher(channel: channel)
        let pair = try await dispatcher.request(.post("token", body: ["refreshToken": token]), as: TokenPair.self)
        token = pair.refreshToken
        return pair.accessToken
    }
}

/// Fetches a token before the first request, and another one when nine tenths of its lifetime are over.
actor ExpiringToken: Middleware {
    struct Grant: Decodable, Sendable {
        let token: String
        let lifetime: Int

        enum CodingKeys: String, CodingKey {
            case token = "access_token"
            case lifetime = "expires_in"
        }
    }

    private let fetch: @Sendable () async throws -> Grant
    private var current: (grant: Grant, renewal: ContinuousClock.Instant)?
    private var fetching: Task<Grant, any Error>?

    init(fetch: @escaping @Sendable () async throws -> Grant) {
        self.fetch = fetch
    }

    func handle(_ attempt: Attempt, next: Next) async -> RawResponse {
        guard attempt.request.goesToEnvironment() else { return await next(attempt) }
        do {
            let token = try await token()
            let response = await next(try attempt.with { try $0.setHeader("Authorization", "Bearer \(token)") })
            if response.status == 401, token == current?.grant.token { current = nil }
            return response
        } catch {
            return attempt.failed(error, stage: APIClientError.adapting)
        }
    }

    nonisolated func isolatedCopy() -> any Middleware { ExpiringToken(fetch: fetch) }

    private func token() async throws -> String {
        if let current, .now < current.renewal { return current.grant.token }
        if let fetching { return try await fetching.value.token }
        let task = Task { [fetch] in try await fetch() }
        fetching = task
        defer { fetching = nil }
        let grant = try await task.value
        current = (grant, .now + Duration.seconds(grant.lifetime) * 0.9)
        return grant.token
    }
}

/// The grant for a service that acts for itself (RFC 6749 §4.4).
func clientCredentials(from identity: Channel, id: String, secret: Secret<String>) -> ExpiringToken {
    let dispatcher = CommonDispatcher(channel: identity)
    return ExpiringToken {
        let login = try Authorization.basic(user: id, password: secret.revealed)
        return try await dispatcher.request(
            .post(
                "token", body: ["grant_type": "client_credentials"], encoding: .form,
                modifiers: [Header.authorization(login), Timeout(.seconds(10))]),
            as: ExpiringToken.Grant.self)
    }
}

/// Signs the date, the body, and what the request asks for.
func signing() -> RequestSigning {
    RequestSigning { request in
        guard let key = try Credential.environment("BAZAAR_SECRET").value(for: request.call) else { return }
        let date = Date().formatted(.iso8601)
        let digest = ContentDigest(.sha256, of: try request.body.bytesInMemory()).hexadecimal
        let code = RequestSigning.hmacSHA256("\(request.method)\n\(request.url.target)\n\(date)\n\(digest)", key: key)
        try request.setHeader("X-Date", date)
        try request.setHeader("X-Signature", code.base64EncodedString())
    }
}

/// A channel with user name and password by Digest (RFC 7616).
func withDigest(_ channel: Channel, password: String) throws -> Channel {
    var channel = channel
    channel.attemptMiddleware = [try DigestAuthentication(username: "ayşe", password: Secret(password))]
    return channel
}
