internal import CoreAPICore
internal import CoreAPIHTTP
internal import CoreAPITrust
internal import Foundation

/// The few functions of OpenSSL for the verified chain of a server, and for the negotiated protocol and unread bytes of a
/// connection. They are found at run time in the library that libcurl has loaded. libcurl itself compares the server's own key
/// only (`CURLOPT_PINNEDPUBLICKEY`). Its list of certificates (`CURLINFO_CERTINFO`) is the one that the server sent, not the
/// verified one.
struct OpenSSL: Sendable {
    /// Called instead of the verification of a server's chain; 1 continues the handshake.
    typealias Verify = @convention(c) (_ store: OpaquePointer?, _ context: UnsafeMutableRawPointer?) -> Int32

    private typealias SetVerify = @convention(c) (OpaquePointer?, Verify?, UnsafeMutableRawPointer?) -> Void
    private typealias VerifyCertificate = @convention(c) (OpaquePointer?) -> Int32
    private typealias GetChain = @convention(c) (OpaquePointer?) -> OpaquePointer?
    private typealias Count = @convention(c) (OpaquePointer?) -> Int32
    private typealias Element = @convention(c) (OpaquePointer?, Int32) -> OpaquePointer?
    private typealias EncodeCertificate =
        @convention(c) (OpaquePointer?, UnsafeMutablePointer<UnsafeMutablePointer<UInt8>?>?) -> Int32
    private typealias SelectedProtocol =
        @convention(c) (OpaquePointer?, UnsafeMutablePointer<UnsafePointer<UInt8>?>?, UnsafeMutablePointer<UInt32>?) -> Void
    private typealias Pending = @convention(c) (OpaquePointer?) -> Int32
    private typealias SetError = @convention(c) (OpaquePointer?, Int32) -> Void

    private let setVerify: SetVerify
    private let verifyCertificate: VerifyCertificate
    private let chain: GetChain
    private let count: Count
    private let element: Element
    private let encode: EncodeCertificate
    private let setError: SetError
    private let pending: Pending
    private let selectedProtocol: SelectedProtocol

    /// `nil` if libcurl uses another TLS library.
    static let linked = OpenSSL()

    /// The libraries that libcurl has loaded.
    static let libraries: (ssl: LoadedLibrary, crypto: LoadedLibrary)? = {
        guard let backend = CurlInfo.linked.tlsBackend, backend.hasPrefix("OpenSSL/") else { return nil }
        let version = backend.hasPrefix("OpenSSL/1.1") ? "1.1" : "3"
        guard let ssl = LoadedLibrary("libssl.so.\(version)"), let crypto = LoadedLibrary.crypto("libcrypto.so.\(version)") else {
            return nil
        }
        return (ssl, crypto)
    }()

    private init?() {
        guard let (ssl, crypto) = Self.libraries, let setVerify = ssl["SSL_CTX_set_cert_verify_callback"],
            let verifyCertificate = crypto["X509_verify_cert"],
            let chain = crypto["X509_STORE_CTX_get0_chain"], let count = crypto["OPENSSL_sk_num"],
            let element = crypto["OPENSSL_sk_value"], let encode = crypto["i2d_X509"],
            let setError = crypto["X509_STORE_CTX_set_error"], let pending = ssl["SSL_pending"],
            let selectedProtocol = ssl["SSL_get0_alpn_selected"]
        else { return nil }
        self.setVerify = unsafeBitCast(setVerify, to: SetVerify.self)
        self.verifyCertificate = unsafeBitCast(verifyCertificate, to: VerifyCertificate.self)
        self.chain = unsafeBitCast(chain, to: GetChain.self)
        self.count = unsafeBitCast(count, to: Count.self)
        self.element = unsafeBitCast(element, to: Element.self)
        self.encode = unsafeBitCast(encode, to: EncodeCertificate.self)
        self.setError = unsafeBitCast(setError, to: SetError.self)
        self.pending = unsafeBitCast(pending, to: Pending.self)
        self.selectedProtocol = unsafeBitCast(selectedProtocol, to: SelectedProtocol.self)
    }

    /// Makes the function verify every connection of a context.
    func setVerify(of context: UnsafeMutableRawPointer, to verify: @escaping Verify, _ argument: UnsafeMutableRawPointer) {
        setVerify(OpaquePointer(context), verify, argument)
    }

    /// Runs ordinary verification and returns its chain; `nil` if it failed.
    func verifiedChain(_ store: OpaquePointer) -> [Certificate]? {
        guard verifyCertificate(store) == 1, let stack = chain(store) else { return nil }
        var certificates: [Certificate] = []
        for index in 0..<count(stack) {
            let length = encode(element(stack, index), nil)
            guard length > 0 else { return nil }
            var der = Data(count: Int(length))
            let written = der.withUnsafeMutableBytes { bytes in
                var next = bytes.bindMemory(to: UInt8.self).baseAddress
                return encode(element(stack, index), &next)
            }
            guard written == length, let certificate = try? Certificate(der: der) else { return nil }
            certificates.append(certificate)
        }
        return certificates
    }

    /// Whether a connection has decrypted bytes that were not read yet.
    func hasUnreadBytes(_ session: UnsafeMutableRawPointer) -> Bool {
        pending(OpaquePointer(session)) > 0
    }

    /// Whether a connection negotiated HTTP/2 (ALPN).
    func speaksHTTP2(_ session: UnsafeMutableRawPointer) -> Bool {
        var name: UnsafePointer<UInt8>?
        var length: UInt32 = 0
        selectedProtocol(OpaquePointer(session), &name, &length)
        return UnsafeBufferPointer(start: name, count: Int(length)).elementsEqual("h2".utf8)
    }

    /// Sets the reason of a failed verification: `X509_V_ERR_APPLICATION_VERIFICATION`.
    func reject(_ store: OpaquePointer) {
        setError(store, 50)
    }
}
