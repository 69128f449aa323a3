package import CoreAPIHTTP
internal import CoreAPITrust
internal import Foundation

/// The few functions of OpenSSL for the verified chain of a server, and for the negotiated protocol and unread bytes of a
/// connection. They are found at run time in the library that libcurl has loaded. libcurl itself compares the server's own key
/// only (`CURLOPT_PINNEDPUBLICKEY`). Its list of certificates (`CURLINFO_CERTINFO`) is the one that the server sent, not the
/// verified one.
struct OpenSSL: Sendable {
    typealias Pointer = UnsafeMutableRawPointer
    /// Called instead of the verification of a server's chain; 1 continues the handshake.
    typealias Verify = @convention(c) (_ store: Pointer?, _ argument: Pointer?) -> Int32

    /// Makes a function verify every connection of an `SSL_CTX`.
    let setVerify: @convention(c) (_ context: Pointer, Verify, _ argument: Pointer) -> Void
    private let verify: @convention(c) (_ store: Pointer) -> Int32
    private let chain: @convention(c) (_ store: Pointer) -> Pointer?
    private let count: @convention(c) (_ stack: Pointer) -> Int32
    private let element: @convention(c) (_ stack: Pointer, Int32) -> Pointer?
    private let encode: @convention(c) (_ certificate: Pointer?, UnsafeMutablePointer<UnsafeMutablePointer<UInt8>?>?) -> Int32
    private let setError: @convention(c) (_ store: Pointer, Int32) -> Void
    private let pending: @convention(c) (_ session: Pointer) -> Int32
    private let selectedProtocol:
        @convention(c) (_ session: Pointer, UnsafeMutablePointer<UnsafePointer<UInt8>?>, UnsafeMutablePointer<UInt32>) -> Void

    /// `nil` if libcurl uses another TLS library.
    static let linked = try? OpenSSL()

    /// The libraries that libcurl has loaded.
    static let libraries: (ssl: LoadedLibrary, crypto: LoadedLibrary)? = {
        guard let backend = CurlInfo.linked.tlsBackend, backend.hasPrefix("OpenSSL/") else { return nil }
        let version = backend.hasPrefix("OpenSSL/1.1") ? "1.1" : "3"
        guard let ssl = LoadedLibrary("libssl.so.\(version)") else { return nil }
        return LoadedLibrary.crypto("libcrypto.so.\(version)").map { (ssl, $0) }
    }()

    private init() throws(LoadedLibrary.MissingFunction) {
        guard let (ssl, crypto) = Self.libraries else { throw .init() }
        setVerify = try ssl.function("SSL_CTX_set_cert_verify_callback")
        verify = try crypto.function("X509_verify_cert")
        chain = try crypto.function("X509_STORE_CTX_get0_chain")
        count = try crypto.function("OPENSSL_sk_num")
        element = try crypto.function("OPENSSL_sk_value")
        encode = try crypto.function("i2d_X509")
        setError = try crypto.function("X509_STORE_CTX_set_error")
        pending = try ssl.function("SSL_pending")
        selectedProtocol = try ssl.function("SSL_get0_alpn_selected")
    }

    /// Runs ordinary verification and returns its chain; `nil` if it failed.
    func verifiedChain(_ store: Pointer) -> [Certificate]? {
        guard verify(store) == 1, let stack = chain(store) else { return nil }
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

    func hasUnreadBytes(_ session: Pointer) -> Bool { pending(session) > 0 }

    func speaksHTTP2(_ session: Pointer) -> Bool {
        var name: UnsafePointer<UInt8>?
        var length: UInt32 = 0
        selectedProtocol(session, &name, &length)
        return UnsafeBufferPointer(start: name, count: Int(length)).elementsEqual("h2".utf8)
    }

    /// Sets the reason of a failed verification: `X509_V_ERR_APPLICATION_VERIFICATION`.
    func reject(_ store: Pointer) { setError(store, 50) }
}

/// The functions of OpenSSL that report events of a connection; see ``TLSConnection``. Separate from ``OpenSSL``, so that pins
/// work with a library that lacks one of them.
struct OpenSSLHooks: Sendable {
    typealias Pointer = UnsafeMutableRawPointer
    /// Called for a connection's states and alerts.
    typealias Info = @convention(c) (_ session: Pointer?, _ event: Int32, _ value: Int32) -> Void
    /// Called before and after every operation on a BIO.
    typealias BIOCallback =
        @convention(c) (_ bio: Pointer?, _ operation: Int32, Pointer?, Int, Int32, Int, _ result: Int32, Pointer?) -> Int

    /// Calls a function for every connection of an `SSL_CTX`.
    let setInfo: @convention(c) (_ context: Pointer, Info) -> Void
    /// The BIO that an `SSL` reads from.
    let readBIO: @convention(c) (_ session: Pointer) -> Pointer?
    let setCallback: @convention(c) (_ bio: Pointer, BIOCallback) -> Void
    /// The kit's pointer of a BIO; `nil` at first.
    let argument: @convention(c) (_ bio: Pointer) -> Pointer?
    let setArgument: @convention(c) (_ bio: Pointer, Pointer?) -> Void
    private let setFlags: @convention(c) (_ bio: Pointer, Int32) -> Void
    private let context: @convention(c) (_ session: Pointer) -> Pointer?
    private let setData: @convention(c) (_ context: Pointer, _ index: Int32, Pointer) -> Int32
    private let data: @convention(c) (_ context: Pointer, _ index: Int32) -> Pointer?
    /// The index of ``note(of:)``: index 0 belongs to the maker of the context.
    private let index: Int32

    /// `nil` if libcurl uses another TLS library.
    static let linked = try? OpenSSLHooks()

    private init() throws(LoadedLibrary.MissingFunction) {
        typealias NewIndex = @convention(c) (_ class: Int32, Int, Pointer?, Pointer?, Pointer?, Pointer?) -> Int32
        guard let (ssl, crypto) = OpenSSL.libraries else { throw .init() }
        setInfo = try ssl.function("SSL_CTX_set_info_callback")
        readBIO = try ssl.function("SSL_get_rbio")
        setCallback = try crypto.function("BIO_set_callback_ex")
        argument = try crypto.function("BIO_get_callback_arg")
        setArgument = try crypto.function("BIO_set_callback_arg")
        setFlags = try crypto.function("BIO_set_flags")
        context = try ssl.function("SSL_get_SSL_CTX")
        setData = try ssl.function("SSL_CTX_set_ex_data")
        data = try ssl.function("SSL_CTX_get_ex_data")
        let newIndex: NewIndex = try crypto.function("CRYPTO_get_ex_new_index")
        // CRYPTO_EX_INDEX_SSL_CTX
        index = newIndex(1, 0, nil, nil, nil, nil)
        guard index >= 0 else { throw .init() }
    }

    func setNote(of context: Pointer, _ note: Pointer) { _ = setData(context, index, note) }
    func note(of session: Pointer) -> Pointer? { context(session).flatMap { data($0, index) } }
    /// Makes a failed read mean "try again later": `BIO_set_retry_read`.
    func setRetry(of bio: Pointer) { setFlags(bio, 0x01 | 0x08) }
}

extension LoadedLibrary {
    /// OpenSSL's cryptography, initialised so that it frees nothing when the process exits (`OPENSSL_INIT_NO_ATEXIT`). Otherwise
    /// OpenSSL frees its memory in `exit`, while other threads still use it. One of 1,500 processes that had used TLS crashed so
    /// instead of exiting.
    ///
    /// Must be called before any other function of OpenSSL: the first caller decides for the process.
    package static func crypto(_ names: String...) -> LoadedLibrary? {
        typealias Initialize = @convention(c) (_ options: UInt64, _ settings: UnsafeMutableRawPointer?) -> Int32
        guard let library = names.lazy.compactMap({ LoadedLibrary($0) }).first else { return nil }
        let initialize: Initialize? = try? library.function("OPENSSL_init_crypto")
        _ = initialize?(0x0008_0000, nil)
        return library
    }
}
