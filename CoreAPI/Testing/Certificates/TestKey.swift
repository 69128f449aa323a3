/// A private key for tests.
///
/// `@unchecked`: OpenSSL counts the key's references under its own lock and never changes the key.
final class TestKey: @unchecked Sendable {
    let pointer: OpaquePointer
    let pem: String
    private let functions: CertificateFunctions

    init(_ kind: TestCertificate.Key) throws(LoopbackServerError) {
        let functions = try CertificateFunctions.loaded.get()
        let (identifier, option, value): (Int32, String, String) =
            switch kind {
            case .p256: (Self.ec, "ec_paramgen_curve", "P-256")
            case .p384: (Self.ec, "ec_paramgen_curve", "P-384")
            case .rsa(let bits): (Self.rsa, "rsa_keygen_bits", String(bits))
            }
        let context = functions.newKeyContext(identifier, nil)
        defer { functions.freeKeyContext(context) }
        var key: OpaquePointer?
        guard functions.beginKey(context) == 1, functions.setKeyOption(context, option, value) == 1,
            functions.makeKey(context, &key) == 1, let key
        else { throw .rejectedByOpenSSL("to make a key \(kind)") }
        pointer = key
        self.functions = functions
        let label = identifier == Self.ec ? "EC PRIVATE KEY" : "RSA PRIVATE KEY"
        do throws(LoopbackServerError) {
            pem = try PEM.text(label, CertificateFunctions.bytes(of: key, functions.encodeKey))
        } catch {
            functions.freeKey(key)
            throw error
        }
    }

    deinit {
        functions.freeKey(pointer)
    }

    /// `NID_rsaEncryption` and `NID_X9_62_id_ecPublicKey`.
    private static let rsa: Int32 = 6
    private static let ec: Int32 = 408
}
