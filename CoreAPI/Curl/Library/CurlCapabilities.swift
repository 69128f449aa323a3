internal import CCurl
internal import CoreAPICore

/// Capabilities of a libcurl beyond the options of 7.81. The linked library reports at run time which of them it has
/// (`curl_version_info`, `curl_easy_option_by_name`). The header at compile time may be older or newer.
///
/// Without a capability the kit either works all the same, or rejects requests that need it with
/// ``TransportError/unsupported(capability:)``.
package struct CurlCapabilities: OptionSet, Sendable {
    package let rawValue: UInt16

    package init(rawValue: UInt16) { self.rawValue = rawValue }

    /// `https`. Rejected without it.
    package static let tls = Self(rawValue: 1 << 0)
    /// HTTP/2 over TLS. Without it every request goes over HTTP/1.1.
    package static let http2 = Self(rawValue: 1 << 1)
    /// TLS by OpenSSL, whose verified chain is accessible. Without it pins are compared with the server's own key, and pins that
    /// only report are rejected.
    package static let openSSL = Self(rawValue: 1 << 2)
    /// A file of authorities that libcurl was built to trust. Without it authorities besides the system's are rejected.
    package static let systemAuthorities = Self(rawValue: 1 << 3)
    /// The allowed protocols by name (`CURLOPT_PROTOCOLS_STR`, 7.85). Without it by their bits.
    package static let protocolNames = Self(rawValue: 1 << 4)
    /// An exchange that ends does not wait for its resolver (`CURLOPT_QUICK_EXIT`, 7.87). Without it a name server that does not
    /// answer blocks the loop when the exchange ends.
    package static let quickExit = Self(rawValue: 1 << 5)
    /// Authorities are read again for each connection (`CURLOPT_CA_CACHE_TIMEOUT`, 7.87). A libcurl without it caches none.
    package static let authorityCacheTimeout = Self(rawValue: 1 << 6)
    /// HTTP/2 frames can be observed on their way to libcurl, because nghttp2 is a separate shared library. Without it a response
    /// reports that its end was not announced (``ExchangeMetrics/isEndAnnounced``).
    package static let streamMonitor = Self(rawValue: 1 << 7)

    init(_ info: CurlInfo) {
        self = []
        // The bits are macros that Swift does not import; their numbers are part of libcurl's ABI.
        if info.features & (1 << 2) != 0 { insert(.tls) }  // CURL_VERSION_SSL
        if info.features & (1 << 16) != 0 { insert(.http2) }  // CURL_VERSION_HTTP2
        if info.tlsBackend?.hasPrefix("OpenSSL/") == true { insert(.openSSL) }
        if info.authorities != nil { insert(.systemAuthorities) }
        if Self.knows("PROTOCOLS_STR"), Self.knows("REDIR_PROTOCOLS_STR") { insert(.protocolNames) }
        if Self.knows("QUICK_EXIT") { insert(.quickExit) }
        if Self.knows("CA_CACHE_TIMEOUT") { insert(.authorityCacheTimeout) }
        if HTTP2StreamMonitor.isPossible { insert(.streamMonitor) }
    }

    private static func knows(_ option: String) -> Bool { curl_easy_option_by_name(option) != nil }
}

/// Options that a header of 7.81 lacks, or that newer headers deprecate. Their numbers are part of libcurl's ABI.
extension CURLoption {
    /// `CURLOPT_PROTOCOLS_STR` and `CURLOPT_REDIR_PROTOCOLS_STR`, 7.85
    static let protocolNames = CURLoption(rawValue: 10_318)
    static let redirectProtocolNames = CURLoption(rawValue: 10_319)
    /// `CURLOPT_CA_CACHE_TIMEOUT`, 7.87
    static let authorityCacheTimeout = CURLoption(rawValue: 321)
    /// `CURLOPT_QUICK_EXIT`, 7.87
    static let quickExit = CURLoption(rawValue: 322)
    /// `CURLOPT_PROTOCOLS` and `CURLOPT_REDIR_PROTOCOLS`, deprecated since 7.85
    static let protocols = CURLoption(rawValue: 181)
    static let redirectProtocols = CURLoption(rawValue: 182)
}
