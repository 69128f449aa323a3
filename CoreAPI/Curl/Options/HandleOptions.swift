internal import CCurl
internal import CoreAPICore
internal import CoreAPIHTTP
internal import CoreAPITrust
internal import Foundation

extension CurlHandle.Form {
    init(_ request: PreparedRequest) {
        (scheme, method, streamsBody) = (request.url.scheme, request.method, request.streamsBody)
        let hasBody = !request.request.body.isNone
        // POST, PUT, PATCH and QUERY give content a meaning, so that without content they send `Content-Length: 0` (RFC 9110
        // §8.6). GET first, because each of the other methods takes a comparison.
        isUpload =
            switch method {
            case "GET": hasBody
            case "POST", "PUT", "PATCH", "QUERY": true
            default: hasBody
            }
    }
}

extension CurlHandle {
    /// Sets all options of an exchange. While it runs, only two more may be set: that its connection must not be reused, and that
    /// libcurl shows the first field.
    ///
    /// - Parameter count: exchanges that run at once, this one included.
    func setOptions(for exchange: Exchange, as form: Form, inFlight count: Int) throws(TransportError) {
        let request = exchange.request
        let isSecure = request.url.scheme == .https
        // Before any step can fail: until then the handle contains the state of the previous exchange.
        begin(exchange)
        do {
            try exchange.upload.open(for: exchange)
        } catch {
            throw .bodyUnreadable(error)
        }
        if self.form == nil {
            try setBasics(form)
            try setMethod(form)
            if isSecure { try setTrust(request.trust, host: request.url.host) }
            self.form = form
        }
        try setURL(request.url, by: request.proxy)
        try setHeaders(request.headers)
        try setConnectTimeout(request.request.timeout.connect)
        try setBufferSize(inFlight: count, isSecure: isSecure, streamsBody: request.streamsBody)
        if form.isUpload { try set(CURLOPT_INFILESIZE_LARGE, offset: exchange.upload.length ?? -1) }
        if request.connectsOnly { try setConnectOnly() }
        if exchange.sendings.needsFreshConnection { try setOnce(CURLOPT_FRESH_CONNECT, 1) }
        if isSecure {
            // Wait for a connection that is being opened instead of opening another, unless the host is known not to multiplex.
            try set(CURLOPT_PIPEWAIT, exchange.ticket?.multiplexes == false ? 0 : 1)
            try setPins(exchange.route.pinCheck)
        }
    }

    /// libcurl opens a connection and leaves it to the kit (``RawSocket``). It would agree on HTTP/2 and then read what is sent
    /// as a request of its own, unless ``CurlHandle/Form/streamsBody`` kept it to HTTP/1.1.
    private func setConnectOnly() throws(TransportError) {
        try setOnce(CURLOPT_CONNECT_ONLY, 1)
        try setOnce(CURLOPT_FRESH_CONNECT, 1)
        // In clear text, too: a proxy would otherwise expect requests (RFC 6455 §4.1).
        try setOnce(CURLOPT_HTTPPROXYTUNNEL, 1)
    }

    private func setBasics(_ form: Form) throws(TransportError) {
        try setCallbacks(isUpload: form.isUpload)
        try set(CURLOPT_NOSIGNAL, 1)
        // A name server that does not answer must not block the thread when its exchange ends. Without this option libcurl waits
        // for its resolver, beyond every timeout, and so do all other exchanges.
        if library.can(.quickExit) { try set(.quickExit, 1) }
        try allowProtocols()
        try set(CURLOPT_FOLLOWLOCATION, 0)
        // With both options set, libcurl does not read the environment; ``ProxyEnvironment`` has done so.
        try set(CURLOPT_PROXY, "")
        try set(CURLOPT_NOPROXY, "")
        // `HTTPURL` has removed dot segments; its text is sent unchanged.
        try set(CURLOPT_PATH_AS_IS, 1)
        // HTTP/0.9 has no head: any garbage would be a successful response.
        try set(CURLOPT_HTTP09_ALLOWED, 0)
        // A proxy's own response to CONNECT is not the server's head.
        try set(CURLOPT_SUPPRESS_CONNECT_HEADERS, 1)
        let hasHTTP2 = form.scheme == .https && library.can(.http2) && !form.streamsBody
        try set(CURLOPT_HTTP_VERSION, hasHTTP2 ? ccurl_http_version_2_tls : ccurl_http_version_1_1)
    }

    /// `UPLOAD` is the mode that adds no `Content-Type`; the method is only a name in it (`CUSTOMREQUEST`).
    private func setMethod(_ form: Form) throws(TransportError) {
        switch form.method {
        case "HEAD": try set(CURLOPT_NOBODY, 1)
        case "GET" where !form.isUpload: try set(CURLOPT_HTTPGET, 1)
        default:
            try set(form.isUpload ? CURLOPT_UPLOAD : CURLOPT_HTTPGET, 1)
            try set(CURLOPT_CUSTOMREQUEST, form.method)
        }
    }

    /// One pool serves one trust (``CurlTransport``), so that a channel with stricter trust never finds another's connection.
    /// libcurl's own comparison (`Curl_ssl_config_matches`) includes neither the chain's pins nor a client's key.
    private func setTrust(_ trust: ServerTrustManager, host: String) throws(TransportError) {
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

    private func setPins(_ check: PinCheck?) throws(TransportError) {
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

    /// A file:, ftp: or gopher: URL must never be fetched, even after a mistake of the kit.
    func allowProtocols() throws(TransportError) {
        if library.can(.protocolNames) {
            try set(.protocolNames, "http,https")
            try set(.redirectProtocolNames, "http,https")
        } else {
            // CURLPROTO_HTTP | CURLPROTO_HTTPS
            try set(.protocols, 1 | 2)
            try set(.redirectProtocols, 1 | 2)
        }
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
}
