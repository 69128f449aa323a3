import CoreAPIHTTP
import Foundation

/// The issued access tokens and their expiry.
final class DLTokens: Sendable {
    private struct State {
        var issued = 0
        var expiry: [String: Date] = [:]
    }

    /// The lifetime of a token.
    let lifetime: Duration

    private let now: @Sendable () -> Date
    private let state = Mutex(State())

    init(lifetime: Duration, now: @escaping @Sendable () -> Date) {
        self.lifetime = lifetime
        self.now = now
    }

    /// How many tokens were issued.
    var issued: Int { state.withLock { $0.issued } }

    /// Issues a new token; earlier tokens stay valid until they expire.
    func issue() -> String {
        let token = "dl-" + UUID().uuidString.lowercased()
        let now = now()
        let expiry = now.addingTimeInterval(lifetime / .seconds(1))
        state.withLock { state in
            state.issued += 1
            state.expiry = state.expiry.filter { $0.value > now }
            state.expiry[token] = expiry
        }
        return token
    }

    /// Whether a token was issued and has not expired. "dl-sandbox-stale" was never issued, so it is never valid.
    func isLive(_ token: String) -> Bool {
        let now = now()
        return state.withLock { state in state.expiry[token].map { $0 > now } ?? false }
    }

    /// Makes all issued tokens expired.
    func expireAll() {
        state.withLock { $0.expiry = [:] }
    }
}
