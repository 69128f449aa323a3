internal import Foundation

/// The few functions of OpenSSL that see the chain a server was verified by, found at run time in the very library that libcurl has
/// loaded. libcurl itself compares the server's own key only (`CURLOPT_PINNEDPUBLICKEY`), and its list of certificates
/// (`CURLINFO_CERTINFO`) is what the server sent and not what was verified.
struct OpenSSL: Sendable {
    /// Called in the place of the verification of a server's chain; 1 lets the handshake go on.
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
    /// Told of what happens on a connection: `SSL_CTX_set_info_callback`.
    private typealias Info = @convention(c) (_ session: UnsafeMutableRawPointer?, _ event: Int32, _ value: Int32) -> Void

    /// Called before and after everything that is done with a connection's bytes: `BIO_set_callback_ex`.
    typealias BytesCallback =
        @convention(c) (
            _ bytes: OpaquePointer?, _ operation: Int32, UnsafePointer<CChar>?, Int, Int32, Int, _ result: Int32,
            UnsafeMutablePointer<Int>?
        ) -> Int

    private typealias SetInfo = @convention(c) (OpaquePointer?, Info?) -> Void
    private typealias ReadBytes = @convention(c) (OpaquePointer?) -> OpaquePointer?
    private typealias SetCallback = @convention(c) (OpaquePointer?, BytesCallback?) -> Void
    private typealias SetArgument = @convention(c) (OpaquePointer?, UnsafeMutableRawPointer?) -> Void
    private typealias GetArgument = @convention(c) (OpaquePointer?) -> UnsafeMutableRawPointer?
    private typealias SetFlags = @convention(c) (OpaquePointer?, Int32) -> Void
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
    private let setInfo: SetInfo
    private let readBytes: ReadBytes
    private let setCallback: SetCallback
    private let setArgument: SetArgument
    private let getArgument: GetArgument
    private let setFlags: SetFlags

    /// `nil` where libcurl speaks TLS by another library.
    static let linked = OpenSSL()

    private init?() {
        guard let backend = CurlVersion.current.tlsBackend, backend.hasPrefix("OpenSSL/") else { return nil }
        let version = backend.hasPrefix("OpenSSL/1.1") ? "1.1" : "3"
        guard let ssl = LoadedLibrary("libssl.so.\(version)"), let crypto = LoadedLibrary("libcrypto.so.\(version)"),
            let setVerify = ssl["SSL_CTX_set_cert_verify_callback"], let verifyCertificate = crypto["X509_verify_cert"],
            let chain = crypto["X509_STORE_CTX_get0_chain"], let count = crypto["OPENSSL_sk_num"],
            let element = crypto["OPENSSL_sk_value"], let encode = crypto["i2d_X509"],
            let setError = crypto["X509_STORE_CTX_set_error"], let pending = ssl["SSL_pending"],
            let selectedProtocol = ssl["SSL_get0_alpn_selected"], let setInfo = ssl["SSL_CTX_set_info_callback"],
            let readBytes = ssl["SSL_get_rbio"], let setCallback = crypto["BIO_set_callback_ex"],
            let setArgument = crypto["BIO_set_callback_arg"], let getArgument = crypto["BIO_get_callback_arg"],
            let setFlags = crypto["BIO_set_flags"]
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
        self.setInfo = unsafeBitCast(setInfo, to: SetInfo.self)
        self.readBytes = unsafeBitCast(readBytes, to: ReadBytes.self)
        self.setCallback = unsafeBitCast(setCallback, to: SetCallback.self)
        self.setArgument = unsafeBitCast(setArgument, to: SetArgument.self)
        self.getArgument = unsafeBitCast(getArgument, to: GetArgument.self)
        self.setFlags = unsafeBitCast(setFlags, to: SetFlags.self)
    }

    /// Has every connection of a context verified by the function.
    func setVerify(of context: UnsafeMutableRawPointer, to verify: @escaping Verify, _ argument: UnsafeMutableRawPointer) {
        setVerify(OpaquePointer(context), verify, argument)
    }

    /// Has every connection of a context watched: for its peer's goodbye (``CloseNotices``), and that it does not take all turns
    /// (``ReadTurns``).
    func watch(_ context: UnsafeMutableRawPointer) {
        setInfo(OpaquePointer(context)) { session, event, value in
            guard let session else { return }
            switch event {
            // SSL_CB_HANDSHAKE_START
            case 0x10: OpenSSL.linked?.takeTurns(session)
            // SSL_CB_READ_ALERT; the low byte is the alert, and 0 is close_notify (RFC 8446 §6.1).
            case 0x4004 where value & 0xFF == 0: CloseNotices.note(on: session)
            default: break
            }
        }
    }

    private func takeTurns(_ session: UnsafeMutableRawPointer) {
        guard let bytes = readBytes(OpaquePointer(session)) else { return }
        setCallback(bytes, ReadTurns.callback)
    }

    /// A number of ours that goes along with a connection's bytes; 0 at first.
    func counter(of bytes: OpaquePointer) -> UInt {
        UInt(bitPattern: getArgument(bytes))
    }

    func setCounter(of bytes: OpaquePointer, to value: UInt) {
        setArgument(bytes, UnsafeMutableRawPointer(bitPattern: value))
    }

    /// Has a read that failed mean "try again later": `BIO_set_retry_read`.
    func setRetry(of bytes: OpaquePointer) {
        setFlags(bytes, 0x01 | 0x08)
    }

    /// Ordinary verification, and the chain that it ended with; `nil` when it failed.
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

    /// Whether bytes of a connection were decrypted that nobody has read yet.
    func hasUnreadBytes(_ session: UnsafeMutableRawPointer) -> Bool {
        pending(OpaquePointer(session)) > 0
    }

    /// Whether a connection's two ends agreed on HTTP/2 (ALPN).
    func speaksHTTP2(_ session: UnsafeMutableRawPointer) -> Bool {
        var name: UnsafePointer<UInt8>?
        var length: UInt32 = 0
        selectedProtocol(OpaquePointer(session), &name, &length)
        return UnsafeBufferPointer(start: name, count: Int(length)).elementsEqual("h2".utf8)
    }

    /// Says why a verification failed: `X509_V_ERR_APPLICATION_VERIFICATION`.
    func refuse(_ store: OpaquePointer) {
        setError(store, 50)
    }
}
