import CoreAPIHTTP
import Foundation

/// A Digest challenge that can be answered (RFC 7616 §3.3).
struct DigestChallenge: Sendable, Hashable {
    enum Algorithm: String, CaseIterable {
        // The stronger one first.
        case sha256 = "SHA-256"
        case md5 = "MD5"

        func hash(_ text: String) -> String {
            switch self {
            case .sha256: SHA256.hash(text.utf8).hexadecimal
            case .md5: MD5.hash(text.utf8).hexadecimal
            }
        }
    }

    let realm: String
    let nonce: String
    let opaque: String?
    let algorithm: Algorithm
    /// Whether the server named it. A server that did not may not know the parameter.
    let namesAlgorithm: Bool
    let isStale: Bool
    let hashesUsername: Bool
    /// Whether it is without `qop`, as before RFC 2617.
    let isLegacy: Bool

    /// The best of a server's challenges, those with `qop` first; `nil` without Digest. Throws if none can be answered.
    static func best(of lines: [String], allowsLegacy: Bool = false) throws(DigestAuthentication.Failure) -> DigestChallenge? {
        var offered: [DigestChallenge] = []
        var rejection: DigestAuthentication.Failure?
        var algorithms: [String] = []
        for line in lines {
            do throws(AuthenticationChallenge.Malformed) {
                for challenge in try AuthenticationChallenge.parse(line) where challenge.scheme == "digest" {
                    do throws(DigestAuthentication.Failure) {
                        offered.append(try DigestChallenge(challenge, allowsLegacy: allowsLegacy))
                    } catch {
                        if case .unsupportedAlgorithm(let names) = error { algorithms += names }
                        rejection = rejection ?? error
                    }
                }
            } catch {
                rejection = rejection ?? .malformedChallenge(error)
            }
        }
        for isLegacy in [false, true] {
            for algorithm in Algorithm.allCases {
                if let best = offered.first(where: { $0.isLegacy == isLegacy && $0.algorithm == algorithm }) { return best }
            }
        }
        guard let rejection else { return nil }
        if case .unsupportedAlgorithm = rejection { throw .unsupportedAlgorithm(algorithms) }
        throw rejection
    }

    /// No `-sess` variants: implementations disagree whether their key uses the first client nonce or each request's.
    init(_ challenge: AuthenticationChallenge, allowsLegacy: Bool) throws(DigestAuthentication.Failure) {
        let parameters = challenge.parameters
        let name = parameters["algorithm"] ?? Algorithm.md5.rawValue
        guard let algorithm = Algorithm.allCases.first(where: { $0.rawValue == name.uppercased() }) else {
            throw .unsupportedAlgorithm([name])
        }
        guard let realm = parameters["realm"] else { throw .missingParameter("realm") }
        guard let nonce = parameters["nonce"] else { throw .missingParameter("nonce") }
        let offered = parameters["qop"]?.lowercased().split { $0 == "," || $0 == " " || $0 == "\t" } ?? []
        guard offered.contains("auth") || (offered.isEmpty && allowsLegacy) else {
            throw .unsupportedProtection(parameters["qop"])
        }
        (isLegacy, self.realm, self.nonce) = (offered.isEmpty, realm, nonce)
        opaque = parameters["opaque"]
        self.algorithm = algorithm
        namesAlgorithm = parameters["algorithm"] != nil
        isStale = parameters["stale"]?.lowercased() == "true"
        hashesUsername = parameters["userhash"]?.lowercased() == "true"
    }
}

/// The answer to a challenge for one request (RFC 7616 §3.4, for a legacy challenge RFC 2069 §2.1.2). Pure.
struct DigestAnswer {
    let challenge: DigestChallenge
    let username: String
    let password: Secret<String>
    let method: String
    /// The request target on the wire, path and query.
    let uri: String
    let count: UInt32
    let clientNonce: String

    var header: String {
        var parts = [user, "realm=\(quoted(challenge.realm))", "uri=\(quoted(uri))"]
        if challenge.namesAlgorithm { parts.append("algorithm=\(challenge.algorithm.rawValue)") }
        parts.append("nonce=\(quoted(challenge.nonce))")
        if !challenge.isLegacy { parts += ["nc=\(hexadecimalCount)", "cnonce=\(quoted(clientNonce))", "qop=auth"] }
        parts.append("response=\(quoted(response))")
        if let opaque = challenge.opaque { parts.append("opaque=\(quoted(opaque))") }
        if challenge.hashesUsername { parts.append("userhash=true") }
        return "Digest " + parts.joined(separator: ", ")
    }

    /// §3.4.1 to §3.4.3; of a legacy challenge without the count and the client nonce.
    var response: String {
        let hash = challenge.algorithm.hash
        let secret = hash("\(username):\(challenge.realm):\(password.revealed)")
        let request = hash("\(method):\(uri)")
        if challenge.isLegacy { return hash("\(secret):\(challenge.nonce):\(request)") }
        return hash("\(secret):\(challenge.nonce):\(hexadecimalCount):\(clientNonce):auth:\(request)")
    }

    private var hexadecimalCount: String { String(count, radix: 16, width: 8) }

    /// The parameter with the user name. A hashed name follows §3.4.4, and a name beyond ASCII RFC 8187. A legacy server gets the
    /// plain name, because it does not know that form.
    private var user: String {
        if challenge.hashesUsername { return "username=\(quoted(challenge.algorithm.hash("\(username):\(challenge.realm)")))" }
        guard !challenge.isLegacy, !username.utf8.allSatisfy({ $0 < 0x80 }) else { return "username=\(quoted(username))" }
        return "username*=UTF-8''\(PercentEncoding.component(username))"
    }

    /// RFC 9110 §5.6.4.
    private func quoted(_ text: String) -> String { "\"" + text.replacingScalars(["\"": "\\\"", "\\": "\\\\"]) + "\"" }
}
