internal import CoreAPI

/// The functions of OpenSSL that make a key and sign a certificate.
struct CertificateFunctions: Sendable {
    typealias Pointer = OpaquePointer
    typealias Free = @convention(c) (Pointer?) -> Void
    typealias Encode = @convention(c) (Pointer?, UnsafeMutablePointer<UnsafeMutablePointer<UInt8>?>?) -> Int32

    let newKeyContext: @convention(c) (Int32, Pointer?) -> Pointer?
    let freeKeyContext: Free
    let beginKey: @convention(c) (Pointer?) -> Int32
    let setKeyOption: @convention(c) (Pointer?, UnsafePointer<CChar>, UnsafePointer<CChar>) -> Int32
    let makeKey: @convention(c) (Pointer?, UnsafeMutablePointer<Pointer?>) -> Int32
    let beginParameters: @convention(c) (Pointer?) -> Int32
    let makeParameters: @convention(c) (Pointer?, UnsafeMutablePointer<Pointer?>) -> Int32
    let freeKey: Free
    let encodeKey: Encode

    let newCertificate: @convention(c) () -> Pointer?
    let freeCertificate: Free
    let setVersion: @convention(c) (Pointer?, Int) -> Int32
    let serialNumber: @convention(c) (Pointer?) -> Pointer?
    let setInteger: @convention(c) (Pointer?, Int) -> Int32
    let notBefore: @convention(c) (Pointer?) -> Pointer?
    let notAfter: @convention(c) (Pointer?) -> Pointer?
    let setTime: @convention(c) (Pointer?, Int) -> Pointer?
    let setKey: @convention(c) (Pointer?, Pointer?) -> Int32
    let subject: @convention(c) (Pointer?) -> Pointer?
    let addName: @convention(c) (Pointer?, UnsafePointer<CChar>, Int32, UnsafePointer<UInt8>, Int32, Int32, Int32) -> Int32
    let setIssuer: @convention(c) (Pointer?, Pointer?) -> Int32
    let setExtensionContext: @convention(c) (Pointer?, Pointer?, Pointer?, Pointer?, Pointer?, Int32) -> Void
    let makeExtension: @convention(c) (Pointer?, Pointer?, Int32, UnsafePointer<CChar>) -> Pointer?
    let freeExtension: Free
    let addExtension: @convention(c) (Pointer?, Pointer?, Int32) -> Int32
    let digest: @convention(c) (UnsafePointer<CChar>) -> Pointer?
    let sign: @convention(c) (Pointer?, Pointer?, Pointer?) -> Int32
    let encodeCertificate: Encode

    static let loaded = Result { () throws(LoopbackServerError) in try CertificateFunctions() }

    private init() throws(LoopbackServerError) {
        newKeyContext = try LoadedLibrary.function("EVP_PKEY_CTX_new_id", in: .crypto)
        freeKeyContext = try LoadedLibrary.function("EVP_PKEY_CTX_free", in: .crypto)
        beginKey = try LoadedLibrary.function("EVP_PKEY_keygen_init", in: .crypto)
        setKeyOption = try LoadedLibrary.function("EVP_PKEY_CTX_ctrl_str", in: .crypto)
        makeKey = try LoadedLibrary.function("EVP_PKEY_keygen", in: .crypto)
        beginParameters = try LoadedLibrary.function("EVP_PKEY_paramgen_init", in: .crypto)
        makeParameters = try LoadedLibrary.function("EVP_PKEY_paramgen", in: .crypto)
        freeKey = try LoadedLibrary.function("EVP_PKEY_free", in: .crypto)
        encodeKey = try LoadedLibrary.function("i2d_PrivateKey", in: .crypto)
        newCertificate = try LoadedLibrary.function("X509_new", in: .crypto)
        freeCertificate = try LoadedLibrary.function("X509_free", in: .crypto)
        setVersion = try LoadedLibrary.function("X509_set_version", in: .crypto)
        serialNumber = try LoadedLibrary.function("X509_get_serialNumber", in: .crypto)
        setInteger = try LoadedLibrary.function("ASN1_INTEGER_set", in: .crypto)
        notBefore = try LoadedLibrary.function("X509_getm_notBefore", in: .crypto)
        notAfter = try LoadedLibrary.function("X509_getm_notAfter", in: .crypto)
        setTime = try LoadedLibrary.function("X509_gmtime_adj", in: .crypto)
        setKey = try LoadedLibrary.function("X509_set_pubkey", in: .crypto)
        subject = try LoadedLibrary.function("X509_get_subject_name", in: .crypto)
        addName = try LoadedLibrary.function("X509_NAME_add_entry_by_txt", in: .crypto)
        setIssuer = try LoadedLibrary.function("X509_set_issuer_name", in: .crypto)
        setExtensionContext = try LoadedLibrary.function("X509V3_set_ctx", in: .crypto)
        makeExtension = try LoadedLibrary.function("X509V3_EXT_conf_nid", in: .crypto)
        freeExtension = try LoadedLibrary.function("X509_EXTENSION_free", in: .crypto)
        addExtension = try LoadedLibrary.function("X509_add_ext", in: .crypto)
        digest = try LoadedLibrary.function("EVP_get_digestbyname", in: .crypto)
        sign = try LoadedLibrary.function("X509_sign", in: .crypto)
        encodeCertificate = try LoadedLibrary.function("i2d_X509", in: .crypto)
    }

    /// A Diffie–Hellman group whose prime has the given number of bits; the caller frees it.
    func diffieHellmanGroup(bits: Int) throws(LoopbackServerError) -> Pointer {
        let context = newKeyContext(Self.diffieHellman, nil)
        defer { freeKeyContext(context) }
        var group: Pointer?
        guard beginParameters(context) == 1, setKeyOption(context, "dh_paramgen_prime_len", String(bits)) == 1,
            makeParameters(context, &group) == 1, let group
        else { throw .rejectedByOpenSSL("a group of \(bits) bits") }
        return group
    }

    /// `NID_dhKeyAgreement`
    private static let diffieHellman: Int32 = 28

    /// The DER of an object.
    static func bytes(of object: Pointer, _ encode: Encode) throws(LoopbackServerError) -> [UInt8] {
        let length = encode(object, nil)
        guard length > 0 else { throw .rejectedByOpenSSL("to encode what it made") }
        var bytes = [UInt8](repeating: 0, count: Int(length))
        let written = bytes.withUnsafeMutableBufferPointer { buffer in
            var next = buffer.baseAddress
            return encode(object, &next)
        }
        guard written == length else { throw .rejectedByOpenSSL("to encode what it made") }
        return bytes
    }
}
