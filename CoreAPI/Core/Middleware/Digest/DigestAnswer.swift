internal import CoreAPIHTTP
import Foundation

/// The answer to a challenge for one request (RFC 7616 §3.4, for a legacy challenge RFC 2069 §2.1.2). Pure.
struct DigestAnswer {
    let challenge: DigestChallenge
    let username: String
    let password: Secret<String>
    let method: String
    /// The request target on the wire, path and query.
    let uri: String
    /// The number of requests answered with the nonce, this one included.
    let count: UInt32
    let clientNonce: String

    /// The value of the `Authorization` header.
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

    private var hexadecimalCount: String {
        let digits = String(count, radix: 16)
        return String(repeating: "0", count: 8 - digits.utf8.count) + digits
    }

    /// The parameter with the user name. A hashed name follows §3.4.4, and a name beyond ASCII RFC 8187. A legacy server gets the
    /// plain name, because it does not know that form.
    private var user: String {
        if challenge.hashesUsername { return "username=\(quoted(challenge.algorithm.hash("\(username):\(challenge.realm)")))" }
        guard !challenge.isLegacy, !username.utf8.allSatisfy({ $0 < 0x80 }) else { return "username=\(quoted(username))" }
        let encoded = username.utf8.reduce(into: "") { text, byte in
            let isPlain = byte < 0x80 && (Character(Unicode.Scalar(byte)).isLetter || Character(Unicode.Scalar(byte)).isNumber)
            text +=
                isPlain ? String(Unicode.Scalar(byte)) : "%" + (byte < 16 ? "0" : "") + String(byte, radix: 16, uppercase: true)
        }
        return "username*=UTF-8''\(encoded)"
    }

    /// RFC 9110 §5.6.4.
    private func quoted(_ text: String) -> String {
        var quoted = "\""
        for scalar in text.unicodeScalars {
            if scalar == "\"" || scalar == "\\" { quoted += "\\" }
            quoted.unicodeScalars.append(scalar)
        }
        return quoted + "\""
    }
}
