internal import CoreAPI

/// The functions of OpenSSL for a server with input and output in memory, so that all bytes of a connection pass through this
/// module.
struct TLSFunctions: Sendable {
    typealias Pointer = OpaquePointer
    typealias SelectProtocol =
        @convention(c) (
            Pointer?, UnsafeMutablePointer<UnsafePointer<UInt8>?>?, UnsafeMutablePointer<UInt8>?, UnsafePointer<UInt8>?, UInt32,
            UnsafeMutableRawPointer?
        ) -> Int32

    let serverMethod: @convention(c) () -> Pointer?
    let newContext: @convention(c) (Pointer?) -> Pointer?
    let freeContext: @convention(c) (Pointer?) -> Void
    let control: @convention(c) (Pointer?, Int32, Int, UnsafeMutableRawPointer?) -> Int
    let setSecurityLevel: @convention(c) (Pointer?, Int32) -> Void
    let setCertificate: @convention(c) (Pointer?, Pointer?) -> Int32
    let setKey: @convention(c) (Pointer?, Pointer?) -> Int32
    /// It takes ownership of the group.
    let setGroup: @convention(c) (Pointer?, Pointer?) -> Int32
    let setCiphers: @convention(c) (Pointer?, UnsafePointer<CChar>) -> Int32
    let setVerify: @convention(c) (Pointer?, Int32, Pointer?) -> Void
    let store: @convention(c) (Pointer?) -> Pointer?
    let trust: @convention(c) (Pointer?, Pointer?) -> Int32
    let setSessionContext: @convention(c) (Pointer?, UnsafePointer<UInt8>, UInt32) -> Int32
    let setSelectProtocol: @convention(c) (Pointer?, SelectProtocol?, UnsafeMutableRawPointer?) -> Void

    let newSession: @convention(c) (Pointer?) -> Pointer?
    let freeSession: @convention(c) (Pointer?) -> Void
    let memory: @convention(c) () -> Pointer?
    let newBuffer: @convention(c) (Pointer?) -> Pointer?
    let setBuffers: @convention(c) (Pointer?, Pointer?, Pointer?) -> Void
    let bufferWrite: @convention(c) (Pointer?, UnsafeRawPointer?, Int32) -> Int32
    let bufferRead: @convention(c) (Pointer?, UnsafeMutableRawPointer?, Int32) -> Int32
    let accept: @convention(c) (Pointer?) -> Int32
    let read: @convention(c) (Pointer?, UnsafeMutableRawPointer?, Int32) -> Int32
    let write: @convention(c) (Pointer?, UnsafeRawPointer?, Int32) -> Int32
    let shutDown: @convention(c) (Pointer?) -> Int32
    let error: @convention(c) (Pointer?, Int32) -> Int32
    let clearErrors: @convention(c) () -> Void
    let isResumed: @convention(c) (Pointer?) -> Int32
    let version: @convention(c) (Pointer?) -> UnsafePointer<CChar>?
    let serverName: @convention(c) (Pointer?, Int32) -> UnsafePointer<CChar>?
    let selectedProtocol:
        @convention(c) (Pointer?, UnsafeMutablePointer<UnsafePointer<UInt8>?>?, UnsafeMutablePointer<UInt32>?) -> Void

    static let loaded = Result { () throws(LoopbackServerError) in try TLSFunctions() }

    private init() throws(LoopbackServerError) {
        serverMethod = try LoadedLibrary.function("TLS_server_method", in: .ssl)
        newContext = try LoadedLibrary.function("SSL_CTX_new", in: .ssl)
        freeContext = try LoadedLibrary.function("SSL_CTX_free", in: .ssl)
        control = try LoadedLibrary.function("SSL_CTX_ctrl", in: .ssl)
        setSecurityLevel = try LoadedLibrary.function("SSL_CTX_set_security_level", in: .ssl)
        setCertificate = try LoadedLibrary.function("SSL_CTX_use_certificate", in: .ssl)
        setKey = try LoadedLibrary.function("SSL_CTX_use_PrivateKey", in: .ssl)
        setGroup = try LoadedLibrary.function("SSL_CTX_set0_tmp_dh_pkey", in: .ssl)
        setCiphers = try LoadedLibrary.function("SSL_CTX_set_cipher_list", in: .ssl)
        setVerify = try LoadedLibrary.function("SSL_CTX_set_verify", in: .ssl)
        store = try LoadedLibrary.function("SSL_CTX_get_cert_store", in: .ssl)
        trust = try LoadedLibrary.function("X509_STORE_add_cert", in: .crypto)
        setSessionContext = try LoadedLibrary.function("SSL_CTX_set_session_id_context", in: .ssl)
        setSelectProtocol = try LoadedLibrary.function("SSL_CTX_set_alpn_select_cb", in: .ssl)
        newSession = try LoadedLibrary.function("SSL_new", in: .ssl)
        freeSession = try LoadedLibrary.function("SSL_free", in: .ssl)
        memory = try LoadedLibrary.function("BIO_s_mem", in: .crypto)
        newBuffer = try LoadedLibrary.function("BIO_new", in: .crypto)
        setBuffers = try LoadedLibrary.function("SSL_set_bio", in: .ssl)
        bufferWrite = try LoadedLibrary.function("BIO_write", in: .crypto)
        bufferRead = try LoadedLibrary.function("BIO_read", in: .crypto)
        accept = try LoadedLibrary.function("SSL_accept", in: .ssl)
        read = try LoadedLibrary.function("SSL_read", in: .ssl)
        write = try LoadedLibrary.function("SSL_write", in: .ssl)
        shutDown = try LoadedLibrary.function("SSL_shutdown", in: .ssl)
        error = try LoadedLibrary.function("SSL_get_error", in: .ssl)
        clearErrors = try LoadedLibrary.function("ERR_clear_error", in: .crypto)
        isResumed = try LoadedLibrary.function("SSL_session_reused", in: .ssl)
        version = try LoadedLibrary.function("SSL_get_version", in: .ssl)
        serverName = try LoadedLibrary.function("SSL_get_servername", in: .ssl)
        selectedProtocol = try LoadedLibrary.function("SSL_get0_alpn_selected", in: .ssl)
    }
}
