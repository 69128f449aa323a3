extension TestCertificate {
    /// The content of a certificate.
    struct Plan {
        var name: String?
        var hosts: [String] = []
        var validity = Validity.current
        var digest = "SHA256"
        /// Whether it may sign other certificates.
        var isAuthority = false

        /// Fills a new certificate and signs it.
        func fill(
            _ certificate: OpaquePointer, _ functions: CertificateFunctions, key: TestKey, issuer: TestCertificate?
        ) throws(LoopbackServerError) {
            func check(_ isDone: Bool, _ what: String) throws(LoopbackServerError) {
                guard isDone else { throw .rejectedByOpenSSL("\(what) of a certificate for \(hosts)") }
            }
            // Version 3 is written as 2 (RFC 5280 §4.1.2.1).
            try check(functions.setVersion(certificate, 2) == 1, "the version")
            let serial = Int.random(in: 1 ... .max)
            try check(functions.setInteger(functions.serialNumber(certificate), serial) == 1, "the serial number")
            let seconds = validity.seconds
            try check(functions.setTime(functions.notBefore(certificate), seconds.from) != nil, "the first day")
            try check(functions.setTime(functions.notAfter(certificate), seconds.to) != nil, "the last day")
            let subject = functions.subject(certificate)
            if let name {
                // At most 64 characters (RFC 5280, appendix A); clients check the alternative names.
                let added = functions.addName(subject, "CN", Self.utf8, Array(name.utf8.prefix(64)) + [0], -1, -1, 0)
                try check(added == 1, "the name '\(name)'")
            }
            let issuerName = issuer.map { functions.subject($0.pointer) } ?? subject
            try check(functions.setIssuer(certificate, issuerName) == 1, "the issuer")
            try check(functions.setKey(certificate, key.pointer) == 1, "the key")
            // The identifiers of keys are made from these two certificates.
            let context = UnsafeMutablePointer<Int>.allocate(capacity: Self.contextWords)
            context.initialize(repeating: 0, count: Self.contextWords)
            defer { context.deallocate() }
            let contextPointer = OpaquePointer(context)
            functions.setExtensionContext(contextPointer, issuer?.pointer ?? certificate, certificate, nil, nil, 0)
            for (identifier, value) in extensions(hasIssuer: issuer != nil) {
                let made = functions.makeExtension(nil, contextPointer, identifier, value)
                defer { functions.freeExtension(made) }
                try check(made != nil && functions.addExtension(certificate, made, -1) == 1, "the extension '\(value)'")
            }
            let signer = issuer?.key ?? key
            try check(functions.sign(certificate, signer.pointer, functions.digest(digest)) > 0, "the signature by \(digest)")
        }

        /// With identifiers of keys, which strict clients demand (RFC 5280 §4.2.1.1, §4.2.1.2; Python 3.13 does).
        private func extensions(hasIssuer: Bool) -> [(Int32, String)] {
            var extensions = [(Self.subjectKeyIdentifier, "hash")]
            if hasIssuer { extensions.append((Self.authorityKeyIdentifier, "keyid")) }
            if isAuthority {
                extensions.append((Self.basicConstraints, "critical,CA:TRUE"))
                extensions.append((Self.keyUsage, "critical,keyCertSign,cRLSign"))
            } else {
                // Apple's platforms demand it.
                extensions.append((Self.extendedKeyUsage, "serverAuth,clientAuth"))
            }
            if !hosts.isEmpty {
                let names = hosts.map { Self.isAddress($0) ? "IP:\($0)" : "DNS:\($0)" }
                extensions.append((Self.alternativeNames, names.joined(separator: ",")))
            }
            return extensions
        }

        private static func isAddress(_ host: String) -> Bool {
            host.contains(":") || host.allSatisfy { $0.isNumber || $0 == "." }
        }

        /// `MBSTRING_UTF8`, and the numbers (`NID_`) of extensions.
        private static let utf8: Int32 = 0x1000
        private static let alternativeNames: Int32 = 85
        private static let basicConstraints: Int32 = 87
        private static let keyUsage: Int32 = 83
        private static let subjectKeyIdentifier: Int32 = 82
        private static let authorityKeyIdentifier: Int32 = 90
        private static let extendedKeyUsage: Int32 = 126

        /// At least the size of `X509V3_CTX`, which has eight words in OpenSSL 3.
        private static let contextWords = 16
    }
}
