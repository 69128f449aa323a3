import CoreAPIHTTP
import Foundation

/// The rule of signed requests: the key, the signed text, and the largest age of a signature.
struct MLSignature: Sendable {
    static let keyID = "ml-sandbox"
    static let secret = "ml-sandbox-secret"
    /// The largest difference of the signed date, in seconds, either way.
    static let tolerance: TimeInterval = 300

    let now: @Sendable () -> Date

    /// Throws unless the request has a correct and recent signature. The signature is checked before the date.
    func check(_ request: SandboxRequest) throws {
        let keyID = try Self.required("x-ml-key-id", in: request)
        let date = try Self.required("x-ml-date", in: request)
        let signature = try Self.required("x-ml-signature", in: request)

        let digest = SHA256.hash(try request.wholeBody()).hexadecimal
        let signed = [request.method, request.target, date, digest].joined(separator: "\n")

        guard keyID == Self.keyID, let code = Data(base64Encoded: signature),
            HMAC.isSHA256(code, of: signed.utf8, key: Array(Self.secret.utf8))
        else { throw MLFailure.wrongSignature }

        guard let moment = try? Date(date, strategy: .iso8601), abs(moment.timeIntervalSince(now())) <= Self.tolerance
        else { throw MLFailure.dateOff }
    }

    private static func required(_ name: String, in request: SandboxRequest) throws -> String {
        guard let value = request.header(name) else { throw MLFailure.missing(name) }
        return value
    }
}
