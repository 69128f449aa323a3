public import CoreAPI
import CoreAPILock

/// Signs in to the second-hand shop: a bearer token with every attempt. When the shop refuses the token, one refresh buys a new
/// one for all calls that were refused together; ``CoreAPI/BearerAuthentication`` does that.
public final class DLAuthentication: Middleware {
    private static let refreshToken = ChannelSecret.environment("DL_REFRESH_TOKEN", sandbox: "dl-sandbox-refresh")
    // The sandbox's has always expired, so that a refresh can be watched.
    private static let accessToken = ChannelSecret.environment("DL_ACCESS_TOKEN", sandbox: "dl-sandbox-stale")

    /// Made by the first call, because the first token depends on the channel.
    private let bearer = Mutex<BearerAuthentication?>(nil)

    public init() {}

    /// Fails the attempt with ``CoreAPI/MissingCredential`` when there is neither a token nor the means to get one.
    public func handle(_ attempt: Attempt, next: Next) async -> Reply {
        let token = try? Self.accessToken.value(for: attempt.call)
        do {
            if token == nil { _ = try Self.refreshToken.value(for: attempt.call) }
        } catch {
            return attempt.failed(error, stage: APIClientError.adapting)
        }
        return await bearer(beginningWith: token).handle(attempt, next: next)
    }

    /// Begins again with the channel's tokens; a token fetched since stays behind.
    public func isolatedCopy() -> any Middleware { DLAuthentication() }

    private func bearer(beginningWith token: String?) -> BearerAuthentication {
        bearer.withLock { known in
            if let known { return known }
            let made = BearerAuthentication(token: token) { response in
                let token = try Self.refreshToken.value(for: response.call) ?? ""
                // Through the channel that was refused, so that a swapped channel refreshes at its own host.
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
