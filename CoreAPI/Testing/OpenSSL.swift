internal import CoreAPI
internal import Foundation

extension LoadedLibrary {
    /// nghttp2, which decodes compressed header fields (RFC 7541).
    static let nghttp2 = LoadedLibrary("libnghttp2.so.14", "libnghttp2.14.dylib")

    /// A function of a library, by name. `Function` must be its C type.
    static func function<Function>(_ name: String, in library: LoadedLibrary?) throws(LoopbackServerError) -> Function {
        guard let pointer = library?[name] else { throw .missing(function: name) }
        return unsafeBitCast(pointer, to: Function.self)
    }
}

/// The functions of OpenSSL that make a key, sign a certificate and serve TLS. Input and output of TLS are in memory, so that all
/// bytes of a connection pass through this module.
struct OpenSSL: Sendable {
    typealias Pointer = OpaquePointer
    typealias Text = UnsafePointer<CChar>
    typealias Bytes = UnsafePointer<UInt8>
    typealias New = @convention(c) () -> Pointer?
    typealias Get = @convention(c) (Pointer?) -> Pointer?
    typealias Free = @convention(c) (Pointer?) -> Void
    typealias Act = @convention(c) (Pointer?) -> Int32
    typealias Use = @convention(c) (Pointer?, Pointer?) -> Int32
    typealias Make = @convention(c) (Pointer?, UnsafeMutablePointer<Pointer?>) -> Int32
    typealias Encode = @convention(c) (Pointer?, UnsafeMutablePointer<UnsafeMutablePointer<UInt8>?>?) -> Int32
    typealias SetNumber = @convention(c) (Pointer?, Int) -> Int32
    typealias Read = @convention(c) (Pointer?, UnsafeMutableRawPointer?, Int32) -> Int32
    typealias Write = @convention(c) (Pointer?, UnsafeRawPointer?, Int32) -> Int32
    typealias Chosen = UnsafeMutablePointer<Bytes?>
    typealias SelectProtocol =
        @convention(c) (Pointer?, Chosen?, UnsafeMutablePointer<UInt8>?, Bytes?, UInt32, UnsafeMutableRawPointer?) -> Int32

    // Keys.
    let newKeyContext: @convention(c) (Int32, Pointer?) -> Pointer?
    let setKeyOption: @convention(c) (Pointer?, Text, Text) -> Int32
    let beginKey, beginParameters: Act
    let makeKey, makeParameters: Make
    let encodeKey: Encode
    let freeKeyContext, freeKey: Free

    // Certificates.
    let newCertificate: New
    let setVersion, setInteger: SetNumber
    let serialNumber, notBefore, notAfter, subject: Get
    let setTime: @convention(c) (Pointer?, Int) -> Pointer?
    let setKey, setIssuer: Use
    let addName: @convention(c) (Pointer?, Text, Int32, Bytes, Int32, Int32, Int32) -> Int32
    let setExtensionContext: @convention(c) (Pointer?, Pointer?, Pointer?, Pointer?, Pointer?, Int32) -> Void
    let makeExtension: @convention(c) (Pointer?, Pointer?, Int32, Text) -> Pointer?
    let addExtension: @convention(c) (Pointer?, Pointer?, Int32) -> Int32
    let digest: @convention(c) (Text) -> Pointer?
    let sign: @convention(c) (Pointer?, Pointer?, Pointer?) -> Int32
    let encodeCertificate: Encode
    let freeExtension, freeCertificate: Free

    // A server's settings.
    let serverMethod: New
    let newContext, store: Get
    let freeContext: Free
    let control: @convention(c) (Pointer?, Int32, Int, UnsafeMutableRawPointer?) -> Int
    let setSecurityLevel: @convention(c) (Pointer?, Int32) -> Void
    let useCertificate, useKey, trust: Use
    /// It takes ownership of the group.
    let useGroup: Use
    let setCiphers: @convention(c) (Pointer?, Text) -> Int32
    let setVerify: @convention(c) (Pointer?, Int32, Pointer?) -> Void
    let setSessionContext: @convention(c) (Pointer?, Bytes, UInt32) -> Int32
    let setSelectProtocol: @convention(c) (Pointer?, SelectProtocol?, UnsafeMutableRawPointer?) -> Void
    let selectProtocol: @convention(c) (Chosen?, UnsafeMutablePointer<UInt8>?, Bytes?, UInt32, Bytes?, UInt32) -> Int32

    // A connection.
    let memory: New
    let newSession, newBuffer: Get
    let freeSession: Free
    let setBuffers: @convention(c) (Pointer?, Pointer?, Pointer?) -> Void
    let writeBuffer, write: Write
    let readBuffer, read: Read
    let accept, shutDown, isResumed: Act
    let error: @convention(c) (Pointer?, Int32) -> Int32
    let clearErrors: @convention(c) () -> Void
    let version: @convention(c) (Pointer?) -> Text?
    let serverName: @convention(c) (Pointer?, Int32) -> Text?
    let selectedProtocol: @convention(c) (Pointer?, Chosen?, UnsafeMutablePointer<UInt32>?) -> Void

    /// OpenSSL 3, as libcurl has loaded it.
    static let loaded = Result { () throws(LoopbackServerError) -> OpenSSL in
        let cryptography = LoadedLibrary.crypto("libcrypto.so.3", "libcrypto.3.dylib")
        let tls = LoadedLibrary("libssl.so.3", "libssl.3.dylib")
        func crypto<Function>(_ name: String) throws(LoopbackServerError) -> Function {
            try LoadedLibrary.function(name, in: cryptography)
        }
        func ssl<Function>(_ name: String) throws(LoopbackServerError) -> Function { try LoadedLibrary.function(name, in: tls) }
        return try OpenSSL(
            newKeyContext: crypto("EVP_PKEY_CTX_new_id"), setKeyOption: crypto("EVP_PKEY_CTX_ctrl_str"),
            beginKey: crypto("EVP_PKEY_keygen_init"), beginParameters: crypto("EVP_PKEY_paramgen_init"),
            makeKey: crypto("EVP_PKEY_keygen"), makeParameters: crypto("EVP_PKEY_paramgen"),
            encodeKey: crypto("i2d_PrivateKey"),
            freeKeyContext: crypto("EVP_PKEY_CTX_free"), freeKey: crypto("EVP_PKEY_free"),

            newCertificate: crypto("X509_new"),
            setVersion: crypto("X509_set_version"), setInteger: crypto("ASN1_INTEGER_set"),
            serialNumber: crypto("X509_get_serialNumber"), notBefore: crypto("X509_getm_notBefore"),
            notAfter: crypto("X509_getm_notAfter"), subject: crypto("X509_get_subject_name"),
            setTime: crypto("X509_gmtime_adj"),
            setKey: crypto("X509_set_pubkey"), setIssuer: crypto("X509_set_issuer_name"),
            addName: crypto("X509_NAME_add_entry_by_txt"),
            setExtensionContext: crypto("X509V3_set_ctx"), makeExtension: crypto("X509V3_EXT_conf_nid"),
            addExtension: crypto("X509_add_ext"),
            digest: crypto("EVP_get_digestbyname"), sign: crypto("X509_sign"), encodeCertificate: crypto("i2d_X509"),
            freeExtension: crypto("X509_EXTENSION_free"), freeCertificate: crypto("X509_free"),

            serverMethod: ssl("TLS_server_method"),
            newContext: ssl("SSL_CTX_new"), store: ssl("SSL_CTX_get_cert_store"), freeContext: ssl("SSL_CTX_free"),
            control: ssl("SSL_CTX_ctrl"), setSecurityLevel: ssl("SSL_CTX_set_security_level"),
            useCertificate: ssl("SSL_CTX_use_certificate"), useKey: ssl("SSL_CTX_use_PrivateKey"),
            trust: crypto("X509_STORE_add_cert"), useGroup: ssl("SSL_CTX_set0_tmp_dh_pkey"),
            setCiphers: ssl("SSL_CTX_set_cipher_list"), setVerify: ssl("SSL_CTX_set_verify"),
            setSessionContext: ssl("SSL_CTX_set_session_id_context"),
            setSelectProtocol: ssl("SSL_CTX_set_alpn_select_cb"), selectProtocol: ssl("SSL_select_next_proto"),

            memory: crypto("BIO_s_mem"), newSession: ssl("SSL_new"), newBuffer: crypto("BIO_new"),
            freeSession: ssl("SSL_free"), setBuffers: ssl("SSL_set_bio"),
            writeBuffer: crypto("BIO_write"), write: ssl("SSL_write"),
            readBuffer: crypto("BIO_read"), read: ssl("SSL_read"),
            accept: ssl("SSL_accept"), shutDown: ssl("SSL_shutdown"), isResumed: ssl("SSL_session_reused"),
            error: ssl("SSL_get_error"), clearErrors: crypto("ERR_clear_error"),
            version: ssl("SSL_get_version"), serverName: ssl("SSL_get_servername"),
            selectedProtocol: ssl("SSL_get0_alpn_selected"))
    }

    /// A Diffie–Hellman group whose prime has the given number of bits; the caller frees it.
    func diffieHellmanGroup(bits: Int) throws(LoopbackServerError) -> Pointer {
        // `NID_dhKeyAgreement`
        let context = newKeyContext(28, nil)
        defer { freeKeyContext(context) }
        var group: Pointer?
        guard beginParameters(context) == 1, setKeyOption(context, "dh_paramgen_prime_len", String(bits)) == 1,
            makeParameters(context, &group) == 1, let group
        else { throw .rejectedByOpenSSL("a group of \(bits) bits") }
        return group
    }

    /// An object in the textual form of DER (RFC 7468), and its DER.
    static func pem(_ label: String, _ object: Pointer, _ encode: Encode) throws(LoopbackServerError) -> (text: String, Data) {
        let failure = LoopbackServerError.rejectedByOpenSSL("to encode what it made")
        let length = encode(object, nil)
        guard length > 0 else { throw failure }
        var der = Data(count: Int(length))
        let written = der.withUnsafeMutableBytes { buffer in
            var next = buffer.bindMemory(to: UInt8.self).baseAddress
            return encode(object, &next)
        }
        guard written == length else { throw failure }
        let base64 = der.base64EncodedString(options: [.lineLength64Characters, .endLineWithLineFeed])
        return ("-----BEGIN \(label)-----\n\(base64)\n-----END \(label)-----\n", der)
    }
}
