import Crypto
import Foundation
import HTTPTypes
import Hummingbird

/// The rule of signed requests: the key, the signed text, and the largest age of a signature.
struct MLSignature: Sendable {
    static let keyID = "ml-sandbox"
    static let secret = "ml-sandbox-secret"
    /// The largest difference of the signed date, in seconds, either way.
    static let tolerance: TimeInterval = 300

    let now: @Sendable () -> Date

    /// Throws unless the request has a correct and recent signature. The signature is checked before the date.
    @Sendable func check(_ request: inout Request) async throws {
        let keyID = try Self.required("x-ml-key-id", in: request)
        let date = try Self.required("x-ml-date", in: request)
        let signature = try Self.required("x-ml-signature", in: request)

        let digest = SHA256.hash(data: try await request.wholeBody())
        let hex = digest.map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }.joined()
        let signed = [request.method.rawValue, request.head.path ?? "", date, hex].joined(separator: "\n")

        // The comparison takes constant time, whatever part of the code is right.
        guard keyID == Self.keyID,
            let code = Data(base64Encoded: signature),
            HMAC<SHA256>.isValidAuthenticationCode(
                code, authenticating: Data(signed.utf8), using: SymmetricKey(data: Data(Self.secret.utf8)))
        else { throw MLFailure.wrongSignature }

        guard let moment = try? Date(date, strategy: .iso8601), abs(moment.timeIntervalSince(now())) <= Self.tolerance
        else { throw MLFailure.dateOff }
    }

    private static func required(_ name: String, in request: Request) throws -> String {
        guard let value = request.header(name) else { throw MLFailure.missing(name) }
        return value
    }
}
