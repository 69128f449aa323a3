#if Signing
import CoreAPICore

/// The challenges that are being answered, by origin, and how often each nonce was.
struct DigestSessions {
    private var challenges: [String: DigestChallenge] = [:]
    /// Also of nonces past: a server may hand one out again, and no count may come twice (RFC 7616 §3.4).
    private var counts: [String: UInt32] = [:]

    private static let countLimit = 1_000

    /// The challenge to answer, and the count to answer it with; `nil` when there is none yet.
    mutating func turn(at origin: String) -> (challenge: DigestChallenge, count: UInt32)? {
        guard let challenge = challenges[origin] else { return nil }
        let count = counts[challenge.nonce, default: 0]
        guard count < .max else {
            challenges[origin] = nil
            return nil
        }
        counts[challenge.nonce] = count + 1
        return (challenge, count + 1)
    }

    /// Takes a challenge that came for a request with the given nonce, unless another request has brought a newer one meanwhile.
    mutating func take(_ challenge: DigestChallenge, insteadOf nonce: String, at origin: String) {
        guard challenges[origin] == nil || challenges[origin]?.nonce == nonce else { return }
        challenges[origin] = challenge
        if counts.count > Self.countLimit {
            let current = Set(challenges.values.map(\.nonce))
            counts = counts.filter { current.contains($0.key) }
        }
    }

    /// So that the next call begins bare, and a password that is wrong is not tried in advance.
    mutating func forget(_ nonce: String, at origin: String) {
        if challenges[origin]?.nonce == nonce { challenges[origin] = nil }
    }
}
#endif
