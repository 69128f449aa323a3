import Foundation
import NIOConcurrencyHelpers

/// The access tokens handed out, and until when each lives.
final class DLTokens: Sendable {
    private struct State {
        var issued = 0
        var expiry: [String: Date] = [:]
    }

    /// How long a token lives.
    let lifetime: Duration

    private let now: @Sendable () -> Date
    private let state = NIOLockedValueBox(State())

    init(lifetime: Duration, now: @escaping @Sendable () -> Date) {
        self.lifetime = lifetime
        self.now = now
    }

    /// How many were handed out.
    var issued: Int { state.withLockedValue { $0.issued } }

    /// Hands out a new token; those before it stay live until their own time is up.
    func issue() -> String {
        let token = "dl-" + UUID().uuidString.lowercased()
        let now = now()
        let expiry = now.addingTimeInterval(lifetime / .seconds(1))
        state.withLockedValue { state in
            state.issued += 1
            state.expiry = state.expiry.filter { $0.value > now }
            state.expiry[token] = expiry
        }
        return token
    }

    /// Whether a token was handed out and its time is not up. "dl-sandbox-stale" never was, and so never is live.
    func isLive(_ token: String) -> Bool {
        let now = now()
        return state.withLockedValue { state in state.expiry[token].map { $0 > now } ?? false }
    }

    /// Ends the life of every token handed out so far.
    func expireAll() {
        state.withLockedValue { $0.expiry = [:] }
    }
}
