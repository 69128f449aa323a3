internal import CoreAPIHTTP
import Foundation

/// A server's TLS settings in OpenSSL: certificate, key and terms, the same for every connection.
///
/// `@unchecked`: OpenSSL's contexts are made for threads; it does not change after the start.
final class TLSContext: @unchecked Sendable {
    fileprivate let functions: SessionFunctions
    fileprivate let pointer: OpaquePointer
    private let free: OpenSSL.Free
    private let selectNext: SelectNext
    /// The protocols in ALPN's format. OpenSSL keeps a pointer to one of them.
    private let offered: UnsafeMutableBufferPointer<UInt8>

    private typealias Chosen = UnsafeMutablePointer<OpenSSL.Bytes?>
    private typealias SelectNext =
        @convention(c) (Chosen?, UnsafeMutablePointer<UInt8>?, OpenSSL.Bytes?, UInt32, OpenSSL.Bytes?, UInt32) -> Int32
    private typealias SelectProtocol =
        @convention(c) (
            OpaquePointer?, Chosen?, UnsafeMutablePointer<UInt8>?, OpenSSL.Bytes?, UInt32, UnsafeMutableRawPointer?
        ) -> Int32

    init(_ settings: ServerTLS) throws(LoopbackServerError) {
        functions = try SessionFunctions()
        (free, selectNext) = try (OpenSSL.ssl("SSL_CTX_free"), OpenSSL.ssl("SSL_select_next_proto"))
        let method = try OpenSSL.ssl("TLS_server_method", OpenSSL.New.self)()
        guard let pointer = try OpenSSL.ssl("SSL_CTX_new", OpenSSL.Get.self)(method) else {
            throw .rejectedByOpenSSL("a context")
        }
        self.pointer = pointer
        let protocols = settings.protocols.flatMap { [UInt8($0.rawValue.utf8.count)] + Array($0.rawValue.utf8) }
        offered = .allocate(capacity: protocols.count)
        _ = offered.initialize(from: protocols)
        try configure(settings)
    }

    deinit {
        free(pointer)
        offered.deallocate()
    }

    private func configure(_ settings: ServerTLS) throws(LoopbackServerError) {
        func check(_ result: Int, _ what: String) throws(LoopbackServerError) {
            guard result == 1 else { throw .rejectedByOpenSSL(what) }
        }
        func use(_ name: String, _ object: OpaquePointer?) throws(LoopbackServerError) -> Int {
            Int(try OpenSSL.ssl(name, OpenSSL.Use.self)(pointer, object))
        }
        let control: @convention(c) (OpaquePointer?, Int32, Int, UnsafeMutableRawPointer?) -> Int = try OpenSSL.ssl(
            "SSL_CTX_ctrl")
        let setLevel: @convention(c) (OpaquePointer?, Int32) -> Void = try OpenSSL.ssl("SSL_CTX_set_security_level")
        // Level 0 allows everything that the client must reject.
        setLevel(pointer, 0)
        try check(use("SSL_CTX_use_certificate", settings.certificate.pointer), "the server's certificate")
        try check(use("SSL_CTX_use_PrivateKey", settings.certificate.key.pointer), "the server's key")
        // The numbers of `SSL_CTRL_…`, here and below, are part of OpenSSL's ABI.
        for certificate in settings.intermediates ?? settings.certificate.intermediates {
            try check(control(pointer, 89, 1, UnsafeMutableRawPointer(certificate.pointer)), "an intermediate certificate")
        }
        try check(control(pointer, 123, settings.versions.lowerBound.rawValue, nil), "the lowest version")
        try check(control(pointer, 124, settings.versions.upperBound.rawValue, nil), "the highest version")
        if let bits = settings.diffieHellmanBits {
            let functions = ("EVP_PKEY_paramgen_init", "EVP_PKEY_paramgen")
            // `NID_dhKeyAgreement`. The context takes ownership of the group.
            let group = try OpenSSL.make(28, functions, "dh_paramgen_prime_len", String(bits), "a group of \(bits) bits")
            try check(use("SSL_CTX_set0_tmp_dh_pkey", group), "a group of \(bits) bits")
        } else {
            // `SSL_CTRL_SET_DH_AUTO`
            _ = control(pointer, 118, 1, nil)
        }
        if let ciphers = settings.ciphers {
            let set: @convention(c) (OpaquePointer?, OpenSSL.Text) -> Int32 = try OpenSSL.ssl("SSL_CTX_set_cipher_list")
            try check(Int(set(pointer, ciphers + ":@SECLEVEL=0")), "the ciphers '\(ciphers)'")
        }
        if let authority = settings.clientAuthority {
            let store = try OpenSSL.ssl("SSL_CTX_get_cert_store", OpenSSL.Get.self)(pointer)
            let trust: OpenSSL.Use = try OpenSSL.crypto("X509_STORE_add_cert")
            try check(Int(trust(store, authority.certificate.pointer)), "the authority of clients")
            let setVerify: @convention(c) (OpaquePointer?, Int32, OpaquePointer?) -> Void = try OpenSSL.ssl("SSL_CTX_set_verify")
            // `SSL_VERIFY_PEER | SSL_VERIFY_FAIL_IF_NO_PEER_CERT`
            setVerify(pointer, 3, nil)
        }
        let setName: @convention(c) (OpaquePointer?, OpenSSL.Bytes, UInt32) -> Int32 = try OpenSSL.ssl(
            "SSL_CTX_set_session_id_context")
        // Without one, a session whose client was verified cannot be resumed.
        _ = setName(pointer, [1], 1)
        let setSelect: @convention(c) (OpaquePointer?, SelectProtocol?, UnsafeMutableRawPointer?) -> Void = try OpenSSL.ssl(
            "SSL_CTX_set_alpn_select_cb")
        setSelect(pointer, Self.selectProtocol, Unmanaged.passUnretained(self).toOpaque())
    }

    /// The first of the server's protocols that the client offers.
    private static let selectProtocol: SelectProtocol = { _, chosen, chosenLength, list, length, argument in
        // `SSL_TLSEXT_ERR_NOACK`
        guard let argument else { return 3 }
        let context = Unmanaged<TLSContext>.fromOpaque(argument).takeUnretainedValue()
        let own = context.offered
        let outcome = context.selectNext(chosen, chosenLength, own.baseAddress, UInt32(own.count), list, length)
        // `OPENSSL_NPN_NEGOTIATED`, `SSL_TLSEXT_ERR_OK`
        return outcome == 1 ? 0 : 3
    }
}

/// The functions of OpenSSL that serve a connection. Its bytes pass through buffers in memory.
private struct SessionFunctions: Sendable {
    typealias Read = @convention(c) (OpaquePointer?, UnsafeMutableRawPointer?, Int32) -> Int32
    typealias Write = @convention(c) (OpaquePointer?, UnsafeRawPointer?, Int32) -> Int32

    let memory: OpenSSL.New
    let newSession, newBuffer: OpenSSL.Get
    let setBuffers: @convention(c) (OpaquePointer?, OpaquePointer?, OpaquePointer?) -> Void
    let freeSession: OpenSSL.Free
    let writeBuffer, write: Write
    let readBuffer, read: Read
    let accept, shutDown, isResumed: OpenSSL.Act
    let error: @convention(c) (OpaquePointer?, Int32) -> Int32
    let clearErrors: @convention(c) () -> Void
    let version: @convention(c) (OpaquePointer?) -> OpenSSL.Text?
    let serverName: @convention(c) (OpaquePointer?, Int32) -> OpenSSL.Text?
    let selectedProtocol:
        @convention(c) (OpaquePointer?, UnsafeMutablePointer<OpenSSL.Bytes?>?, UnsafeMutablePointer<UInt32>?) -> Void

    init() throws(LoopbackServerError) {
        memory = try OpenSSL.crypto("BIO_s_mem")
        (newSession, newBuffer) = try (OpenSSL.ssl("SSL_new"), OpenSSL.crypto("BIO_new"))
        (setBuffers, freeSession) = try (OpenSSL.ssl("SSL_set_bio"), OpenSSL.ssl("SSL_free"))
        (writeBuffer, write) = try (OpenSSL.crypto("BIO_write"), OpenSSL.ssl("SSL_write"))
        (readBuffer, read) = try (OpenSSL.crypto("BIO_read"), OpenSSL.ssl("SSL_read"))
        (accept, shutDown) = try (OpenSSL.ssl("SSL_accept"), OpenSSL.ssl("SSL_shutdown"))
        isResumed = try OpenSSL.ssl("SSL_session_reused")
        (error, clearErrors) = try (OpenSSL.ssl("SSL_get_error"), OpenSSL.crypto("ERR_clear_error"))
        (version, serverName) = try (OpenSSL.ssl("SSL_get_version"), OpenSSL.ssl("SSL_get_servername"))
        selectedProtocol = try OpenSSL.ssl("SSL_get0_alpn_selected")
    }
}

/// One connection's TLS. It never touches a socket: received bytes are fed to it, and bytes to send are drained from it.
///
/// `@unchecked`: all three pointers are used under the session's lock.
final class TLSSession: @unchecked Sendable {
    private let context: TLSContext
    private let lock = NSLock()
    private let session: OpaquePointer
    /// They belong to the session.
    private let input, output: OpaquePointer
    private var functions: SessionFunctions { context.functions }

    init?(_ context: TLSContext) {
        let functions = context.functions
        guard let session = functions.newSession(context.pointer), let input = functions.newBuffer(functions.memory()),
            let output = functions.newBuffer(functions.memory())
        else { return nil }
        functions.setBuffers(session, input, output)
        (self.context, self.session, self.input, self.output) = (context, session, input, output)
    }

    deinit { functions.freeSession(session) }

    func feed(_ bytes: Data) {
        _ = lock.withLock { bytes.withUnsafeBytes { functions.writeBuffer(input, $0.baseAddress, Int32($0.count)) } }
    }

    /// The bytes to send to the peer now; may be empty.
    func drain() -> Data {
        lock.withLock {
            var drained = Data()
            var buffer = [UInt8](repeating: 0, count: 16 << 10)
            while true {
                let count = functions.readBuffer(output, &buffer, Int32(buffer.count))
                guard count > 0 else { return drained }
                drained.append(contentsOf: buffer[..<Int(count)])
            }
        }
    }

    /// Continues the handshake: `true` if it is done, `nil` if it needs input.
    func handshake() -> Bool? {
        lock.withLock {
            functions.clearErrors()
            let result = functions.accept(session)
            if result == 1 { return true }
            return functions.error(session, result) == Self.wantsRead ? nil : false
        }
    }

    /// Decrypted bytes: empty if it needs input, `nil` if the peer sent `close_notify` or broke the protocol.
    func read() -> Data? {
        lock.withLock {
            functions.clearErrors()
            var buffer = [UInt8](repeating: 0, count: 64 << 10)
            let count = functions.read(session, &buffer, Int32(buffer.count))
            if count > 0 { return Data(buffer[..<Int(count)]) }
            return functions.error(session, count) == Self.wantsRead ? Data() : nil
        }
    }

    /// Encrypts bytes for ``drain()``; false if the connection is broken.
    func write(_ bytes: Data) -> Bool {
        lock.withLock {
            functions.clearErrors()
            var rest = bytes[...]
            while !rest.isEmpty {
                let count = rest.withUnsafeBytes { functions.write(session, $0.baseAddress, Int32(min($0.count, 1 << 20))) }
                guard count > 0 else { return false }
                rest = rest.dropFirst(Int(count))
            }
            return true
        }
    }

    /// Sends `close_notify` (RFC 8446 §6.1).
    func shutDown() {
        lock.withLock {
            functions.clearErrors()
            _ = functions.shutDown(session)
        }
    }

    /// The result of the handshake; read when it is done.
    var security: ConnectionSecurity {
        lock.withLock {
            ConnectionSecurity(
                version: functions.version(session).map { String(cString: $0) } ?? "",
                serverName: functions.serverName(session, 0).map { String(cString: $0) },
                isResumed: functions.isResumed(session) == 1)
        }
    }

    var speaksHTTP2: Bool {
        lock.withLock {
            var name: UnsafePointer<UInt8>?
            var length: UInt32 = 0
            functions.selectedProtocol(session, &name, &length)
            return UnsafeBufferPointer(start: name, count: Int(length)).elementsEqual("h2".utf8)
        }
    }

    /// `SSL_ERROR_WANT_READ`
    private static let wantsRead: Int32 = 2
}
