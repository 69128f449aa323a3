internal import CCurl

extension CurlTransport {
    /// The linked libcurl's version, `7.88.1` for instance; asked at run time, because it need not be the one that was compiled with.
    public static var version: String { CurlVersion.current.version }

    /// The kit's own version, `0.1.0` for instance.
    public static var kitVersion: String { CurlVersion.kit }

    /// What the linked libcurl was built with.
    public static var capabilities: Capabilities { CurlVersion.current.capabilities }

    /// What a libcurl can do, as it says itself (`curl_version_info`).
    public struct Capabilities: Sendable, Hashable {
        /// The URL schemes it knows; the transport allows only http and https, whatever else stands here.
        public let protocols: [String]
        public let http2: Bool
        /// The TLS library with its version, `OpenSSL/3.0.19`, or `nil` when there is none.
        public let tlsBackend: String?
        public let gzip: Bool
        public let brotli: Bool
        public let zstd: Bool
    }
}

/// What `curl_version_info` says, read once.
struct CurlVersion: Sendable {
    /// The kit's own version.
    static let kit = "0.1.0"

    static let current = CurlVersion()

    /// What requests that bring no `User-Agent` of their own say they are.
    static let userAgent = "NetworkerKit/\(kit) libcurl/\(current.version)"

    /// The same as a header line.
    static let userAgentLine = "User-Agent: \(userAgent)"

    /// Whether an easy handle may serve a second transfer. Before 8.1.1 a handle remembers the last header of its previous response
    /// after it was freed, `curl_easy_reset` or not; a response that begins with a continuation line then writes into freed memory.
    let mayReuseHandles: Bool
    let version: String
    let capabilities: CurlTransport.Capabilities

    private init() {
        guard let info = ccurl_version() else {
            version = "unknown"
            mayReuseHandles = false
            capabilities = .init(protocols: [], http2: false, tlsBackend: nil, gzip: false, brotli: false, zstd: false)
            return
        }
        mayReuseHandles = info.pointee.version_num >= 0x08_0200
        version = info.pointee.version.map { String(cString: $0) } ?? "unknown"
        var protocols: [String] = []
        var next = info.pointee.protocols
        while let name = next?.pointee {
            protocols.append(String(cString: name))
            next = next?.advanced(by: 1)
        }
        func has(_ bit: Int32) -> Bool { info.pointee.features & (1 << bit) != 0 }
        // The bits are macros that Swift does not import; their numbers are part of libcurl's ABI.
        capabilities = .init(
            protocols: protocols,
            http2: has(16),  // CURL_VERSION_HTTP2
            tlsBackend: info.pointee.ssl_version.map { String(cString: $0) },
            gzip: has(3),  // CURL_VERSION_LIBZ
            brotli: has(23),  // CURL_VERSION_BROTLI
            zstd: has(26))  // CURL_VERSION_ZSTD
    }
}
