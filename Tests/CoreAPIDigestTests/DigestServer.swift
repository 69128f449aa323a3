import TestSupport

/// A server's state for Digest with MD5. It computes the expected answer by itself, with only the hash from the code under test.
final class DigestServer: Sendable {
    private let state = Mutex(State())
    /// Whether it sends challenges without qop, as before RFC 2617.
    private let isLegacy: Bool

    private struct State {
        var expired = 0
        /// Every request gets this nonce until it expires, as if it were made from the time.
        var nonce: String { "n\(expired)" }
        var seen: Set<String> = []
        var repeated: [String] = []
        var clientNonces: Set<String> = []
    }

    init(isLegacy: Bool = false) { self.isLegacy = isLegacy }

    /// Counts or client nonces that were used twice.
    var repeated: [String] { state.withLock { $0.repeated } }
    /// How many correct answers arrived.
    var accepted: Int { state.withLock { $0.clientNonces.count } }
    /// Replaces the nonce, as a server does after some time.
    func expire() { state.withLock { $0.expired += 1 } }

    /// The reply to a request without a correct answer.
    func reply(to request: ReceivedRequest, _ reply: ServerReply) -> ServerReply {
        guard let header = request.headers["authorization"] else { return ask() }
        guard let read = try? AuthenticationChallenge.parse(header).first?.parameters, let nonce = read["nonce"] else {
            return .status(400)
        }
        guard read["uri"] == request.target else { return .status(400) }
        let count = read["nc"] ?? ""
        let clientNonce = read["cnonce"] ?? ""
        let secret = hash("user:the realm:passwd")
        let asked = hash("\(request.method):\(request.target)")
        let expected =
            isLegacy ? hash("\(secret):\(nonce):\(asked)") : hash("\(secret):\(nonce):\(count):\(clientNonce):auth:\(asked)")
        if isLegacy, ["qop", "nc", "cnonce"].contains(where: { read[$0] != nil }) { return .status(400) }
        guard read["response"] == expected, read["username"] == "user", read["opaque"] == "o" else { return ask() }
        let isKnown = state.withLock { state in
            for token in isLegacy ? [] : ["nc \(nonce) \(count)", "cnonce \(clientNonce)"]
            where !state.seen.insert(token).inserted { state.repeated.append(token) }
            guard state.nonce == nonce else { return false }
            state.clientNonces.insert(clientNonce)
            return true
        }
        return isKnown ? reply : ask(isStale: true)
    }

    private func ask(isStale: Bool = false) -> ServerReply {
        let nonce = state.withLock { $0.nonce }
        let challenge =
            "Digest realm=\"the realm\", nonce=\"\(nonce)\", opaque=\"o\"" + (isLegacy ? "" : ", qop=\"auth\"")
            + (isStale ? ", stale=TRUE" : "")
        return .status(401, headers: ["WWW-Authenticate": "Basic realm=\"x\"", "WWW-Authenticate": challenge])
    }

    private func hash(_ text: String) -> String { MD5.hash(text.utf8).hexadecimal }
}
