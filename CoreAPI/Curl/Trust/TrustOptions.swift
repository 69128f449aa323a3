internal import CCurl
internal import CoreAPICore
internal import CoreAPIHTTP
internal import CoreAPITrust
internal import Foundation

// A handle's TLS options, and what OpenSSL reports about its connection.

extension CurlHandle {
    /// One pool serves one trust (``CurlTransport``), so that a channel with stricter trust never finds another's connection.
    /// libcurl's own comparison (`Curl_ssl_config_matches`) includes neither the chain's pins nor a client's key.
    func setTrust(_ trust: ServerTrustManager, host: String) throws(TransportError) {
        try set(CURLOPT_SSLVERSION, trust.minimumTLSVersion == .tls13 ? ccurl_tls_1_3_or_newer : ccurl_tls_1_2_or_newer)
        try set(CURLOPT_SSL_VERIFYPEER, 1)
        try set(CURLOPT_SSL_VERIFYHOST, 2)
        // A resumed session shows no certificates, so they could not be compared with pins, or with replaced authorities. The
        // cache belongs to the handle.
        try set(CURLOPT_SSL_SESSIONID_CACHE, 0)
        switch trust.authorities {
        case .system: break
        case .systemAndPEM(""), .pem(""): throw .tls(host: host, reason: "the PEM text of the authorities is empty")
        case .systemAndPEM(let text): try set(CURLOPT_CAINFO_BLOB, blob: authorities(besides: text).utf8)
        case .pem(let text):
            // A libcurl may be built with a folder of authorities, which would count besides: Debian's is /etc/ssl/certs.
            try set(CURLOPT_CAPATH, nil)
            try set(CURLOPT_CAINFO_BLOB, blob: text.utf8)
        case .file(let path):
            // The next connection reports an unreadable file (`CURLE_SSL_CACERT_BADFILE`).
            try set(CURLOPT_CAPATH, nil)
            try set(CURLOPT_CAINFO, path)
            // A newer libcurl caches the file for a day; a replaced file must apply to the next connection.
            if library.can(.authorityCacheTimeout) { try set(.authorityCacheTimeout, 0) }
        }
        if let identity = trust.identity { try setIdentity(identity, host: host) }
    }

    func setPins(_ check: PinCheck?) throws(TransportError) {
        guard openSSL != nil else { return try check?.setKeys(of: self) ?? () }
        try setSSLContext(CurlCallbacks.secure, check.map { Unmanaged.passUnretained($0).toOpaque() })
    }

    private func setIdentity(_ identity: ClientIdentity, host: String) throws(TransportError) {
        switch identity.form {
        case .pem(let certificates, let key):
            guard !certificates.isEmpty, !key.revealed.isEmpty else {
                throw .tls(host: host, reason: "the client's certificate or its key is empty")
            }
            try set(CURLOPT_SSLCERTTYPE, "PEM")
            try set(CURLOPT_SSLCERT_BLOB, blob: certificates.utf8)
            try set(CURLOPT_SSLKEYTYPE, "PEM")
            try set(CURLOPT_SSLKEY_BLOB, blob: key.revealed.utf8)
        case .pkcs12(let data):
            guard !data.revealed.isEmpty else { throw .tls(host: host, reason: "the client's PKCS#12 is empty") }
            try set(CURLOPT_SSLCERTTYPE, "P12")
            try set(CURLOPT_SSLCERT_BLOB, blob: data.revealed)
        }
        if let passphrase = identity.passphrase { try set(CURLOPT_KEYPASSWD, passphrase.revealed) }
    }

    /// libcurl's default authorities, and further ones, as PEM. The former are read once: the file has some 200 KiB.
    func authorities(besides text: String) throws(TransportError) -> String {
        let path = library.can(.systemAuthorities) ? CurlInfo.linked.authorities : nil
        let system = Self.systemAuthorities.withLock { known in
            known = known ?? path.flatMap(FileManager.default.contents).map { String(decoding: $0, as: UTF8.self) }
            return known
        }
        guard path != nil, let system else {
            throw .unsupported(capability: "authorities besides the system's (a libcurl that names its own file)")
        }
        return system + "\n" + text
    }

    private static let systemAuthorities = Mutex<String?>(nil)

    /// `nil` if libcurl uses another TLS library.
    var openSSL: OpenSSL? { library.can(.openSSL) ? OpenSSL.linked : nil }
    /// OpenSSL's connection that the exchange uses; `nil` without one.
    var openSSLSession: UnsafeMutableRawPointer? { ccurl_get_openssl_session(easy) }

    /// Whether TLS holds decrypted, unread bytes of the exchange's connection. They are no longer on the socket.
    var hasUnreadTLSBytes: Bool {
        guard let openSSL, let session = openSSLSession else { return false }
        return openSSL.hasUnreadBytes(session)
    }

    /// Whether the exchange's connection negotiated HTTP/2; `nil` if TLS does not say.
    var speaksHTTP2: Bool? {
        guard let openSSL, let session = openSSLSession else { return nil }
        return openSSL.speaksHTTP2(session)
    }
}
