public import CoreAPI
import CoreAPILock

/// Adds the second-hand shop's bearer token to every attempt. If the shop refuses the token, ``CoreAPI/BearerAuthentication``
/// fetches one new token for all calls that were refused at the same time.
public final class DLAuthentication: Middleware {
    private static let refreshToken = Credential.environment("DL_REFRESH_TOKEN", sandbox: "dl-sandbox-refresh")
    // The sandbox's token has always expired, so that the demo shows a refresh.
    private static let accessToken = Credential.environment("DL_ACCESS_TOKEN", sandbox: "dl-sandbox-stale")

    /// Made by the first call, because the first token depends on the channel.
    private let bearer = Mutex<BearerAuthentication?>(nil)

    public init() {}

    /// Fails the attempt with ``CoreAPI/MissingCredential`` if there is neither an access token nor a refresh token.
    public func handle(_ attempt: Attempt, next: Next) async -> Reply {
        let token = try? Self.accessToken.value(for: attempt.call)
        do {
            if token == nil { _ = try Self.refreshToken.value(for: attempt.call) }
        } catch {
            return attempt.failed(error, stage: APIClientError.adapting)
        }
        return await bearer(beginningWith: token).handle(attempt, next: next)
    }

    /// A copy that begins with the channel's configured tokens, without tokens fetched since.
    public func isolatedCopy() -> any Middleware { DLAuthentication() }

    private func bearer(beginningWith token: String?) -> BearerAuthentication {
        bearer.withLock { known in
            if let known { return known }
            let made = BearerAuthentication(token: token) { response in
                let token = try Self.refreshToken.value(for: response.call) ?? ""
                // Uses the refused call's channel, so that a swapped channel refreshes at its own host.
                return try await CommonDispatcher(channel: response.call.channel)
                    .request(.post("auth/token", body: ["refreshToken": token], name: "refresh"), as: DLToken.self).accessToken
            }
            known = made
            return made
        }
    }
}

private struct DLToken: Decodable {
    let accessToken: String
}
