/// A server's TLS settings in OpenSSL: certificate, key and terms, the same for every connection.
///
/// `@unchecked`: OpenSSL's contexts are made for threads; it does not change after the start.
final class TLSContext: @unchecked Sendable {
    let functions: TLSFunctions
    let pointer: OpaquePointer
    private let settings: ServerTLS
    /// The protocols in ALPN's format and a zero, for the callback, which gets a plain pointer from OpenSSL.
    private let offered: UnsafeMutableBufferPointer<UInt8>

    init(_ settings: ServerTLS) throws(LoopbackServerError) {
        functions = try TLSFunctions.loaded.get()
        guard let pointer = functions.newContext(functions.serverMethod()) else { throw .rejectedByOpenSSL("a context") }
        self.pointer = pointer
        self.settings = settings
        offered = .allocate(capacity: settings.protocols.reduce(1) { $0 + $1.rawValue.utf8.count + 1 })
        _ = offered.initialize(
            from: settings.protocols.flatMap { [UInt8($0.rawValue.utf8.count)] + Array($0.rawValue.utf8) } + [0])
        try configure()
    }

    deinit {
        functions.freeContext(pointer)
        offered.deallocate()
    }

    private func configure() throws(LoopbackServerError) {
        func check(_ isDone: Bool, _ what: String) throws(LoopbackServerError) {
            guard isDone else { throw .rejectedByOpenSSL(what) }
        }
        // Level 0 allows everything that the client must reject.
        functions.setSecurityLevel(pointer, 0)
        try check(functions.setCertificate(pointer, settings.certificate.pointer) == 1, "the server's certificate")
        try check(functions.setKey(pointer, settings.certificate.key.pointer) == 1, "the server's key")
        for certificate in settings.intermediates ?? settings.certificate.intermediates {
            let added = functions.control(pointer, Self.addChainCertificate, 1, UnsafeMutableRawPointer(certificate.pointer))
            try check(added == 1, "an intermediate certificate")
        }
        let versions = settings.versions
        try check(functions.control(pointer, Self.setLowest, versions.lowerBound.rawValue, nil) == 1, "the lowest version")
        try check(functions.control(pointer, Self.setHighest, versions.upperBound.rawValue, nil) == 1, "the highest version")
        if let bits = settings.diffieHellmanBits {
            let group = try CertificateFunctions.loaded.get().diffieHellmanGroup(bits: bits)
            try check(functions.setGroup(pointer, group) == 1, "a group of \(bits) bits")
        } else {
            _ = functions.control(pointer, Self.chooseDHParameters, 1, nil)
        }
        if let ciphers = settings.ciphers {
            try check(functions.setCiphers(pointer, ciphers + ":@SECLEVEL=0") == 1, "the ciphers '\(ciphers)'")
        }
        if let authority = settings.clientAuthority {
            try check(
                functions.trust(functions.store(pointer), authority.certificate.pointer) == 1, "the authority of clients")
            functions.setVerify(pointer, Self.verifyPeer, nil)
        }
        // Without one, a session whose client was verified cannot be resumed.
        _ = functions.setSessionContext(pointer, [1], 1)
        functions.setSelectProtocol(pointer, Self.selectProtocol, UnsafeMutableRawPointer(mutating: offered.baseAddress))
    }

    /// The first of the server's protocols that the client offers.
    private static let selectProtocol: TLSFunctions.SelectProtocol = { _, chosen, chosenLength, list, length, offered in
        guard let list, let offered, let chosen, let chosenLength else { return noAgreement }
        let names = UnsafeBufferPointer(start: list, count: Int(length))
        var own = UnsafePointer(offered.assumingMemoryBound(to: UInt8.self))
        while own.pointee > 0 {
            let wanted = UnsafeBufferPointer(start: own, count: Int(own.pointee) + 1)
            var index = 0
            while index < names.count, index + Int(names[index]) < names.count {
                let offer = names[index...(index + Int(names[index]))]
                if offer.elementsEqual(wanted) {
                    chosen.pointee = own + 1
                    chosenLength.pointee = own.pointee
                    return 0
                }
                index += offer.count
            }
            own += wanted.count
        }
        return noAgreement
    }

    /// Macros of OpenSSL, whose numbers are part of its ABI: `SSL_CTRL_…`, `SSL_VERIFY_PEER | SSL_VERIFY_FAIL_IF_NO_PEER_CERT`,
    /// `SSL_TLSEXT_ERR_NOACK`.
    private static let addChainCertificate: Int32 = 89
    private static let setLowest: Int32 = 123
    private static let setHighest: Int32 = 124
    private static let chooseDHParameters: Int32 = 118
    private static let verifyPeer: Int32 = 3
    private static let noAgreement: Int32 = 3
}
