/// The challenges in use, by origin, and the number of answers to each nonce.
struct DigestSessions {
    private var challenges: [String: DigestChallenge] = [:]
    /// Old nonces stay: a server may issue one again, and no count may be repeated (RFC 7616 §3.4). Of more than 1,000 the oldest
    /// that is not in use is removed.
    private var counts: [String: UInt32] = [:]
    /// The nonces of the counts, the oldest first.
    private var nonces: [String] = []

    private static let countLimit = 1_000

    /// The challenge to answer, and the count for it; `nil` without a challenge.
    mutating func turn(at origin: String) -> (challenge: DigestChallenge, count: UInt32)? {
        guard let challenge = challenges[origin] else { return nil }
        let count = counts[challenge.nonce, default: 0]
        guard count < .max else {
            challenges[origin] = nil
            return nil
        }
        if counts.updateValue(count + 1, forKey: challenge.nonce) == nil { nonces.append(challenge.nonce) }
        if nonces.count > Self.countLimit { removeOldest() }
        return (challenge, count + 1)
    }

    /// Stores the challenge for a request with the given nonce, unless another request has received a newer one meanwhile.
    mutating func take(_ challenge: DigestChallenge, insteadOf nonce: String, at origin: String) {
        guard challenges[origin] == nil || challenges[origin]?.nonce == nonce else { return }
        challenges[origin] = challenge
    }

    private mutating func removeOldest() {
        let current = Set(challenges.values.map(\.nonce))
        guard let index = nonces.firstIndex(where: { !current.contains($0) }) else { return }
        counts[nonces.remove(at: index)] = nil
    }

    /// Removes a session, so that the next call begins without credentials, and a wrong password is not tried in advance.
    mutating func forget(_ nonce: String, at origin: String) {
        if challenges[origin]?.nonce == nonce { challenges[origin] = nil }
    }
}
