internal import CCurl
internal import CoreAPICore
internal import Foundation

extension CurlTransport {
    /// The linked libcurl's version, `7.88.1` for instance; asked at run time, because it need not be the one that was compiled
    /// with.
    public static var version: String { CurlVersion.current.version }

    /// The kit's own version, `0.1.0` for instance.
    public static var kitVersion: String { Kit.version }

    /// What the linked libcurl was built with.
    public static var capabilities: Capabilities { CurlVersion.current.capabilities }

    /// What a libcurl can do, as it says itself (`curl_version_info`), and what the kit can do with the libraries that it brings.
    /// What is asked for and not here fails with ``TransportError/unsupported(capability:)``, which names it.
    public struct Capabilities: Sendable, Hashable {
        /// The URL schemes it knows; the transport allows only http and https, whatever else stands here.
        public let protocols: [String]
        /// The versions of HTTP that are spoken, lowest first: `1.1`, `2`. The latter only where a stream's end can be told from
        /// a cut: that takes nghttp2 as a shared library beside libcurl.
        public let httpVersions: [String]
        /// The TLS library with its version, `OpenSSL/3.0.19`, or `nil` when there is none.
        public let tlsBackend: String?
        /// The content codings that are undone, as they stand in `Accept-Encoding`: `gzip`, `deflate`, `br`.
        public let contentCodings: [String]
        /// Whether pins are compared with the whole verified chain; else with the server's own key only.
        public let pinsWholeChain: Bool
        /// Whether cookies for public suffixes are known by their list; else a cookie is for its host alone.
        public let hasPublicSuffixList: Bool
        /// libcurl's own bounds, which hold where the channel's ``Limits`` allow more.
        public let limits: Bounds

        /// What no setting can raise.
        public struct Bounds: Sendable, Hashable {
            /// Bytes of one line of a response's head (`CURL_MAX_HTTP_HEADER`).
            public let headLine: Int
            /// Bytes of a response's head, since 8.3.0 and where the bound was brought back to an older one, as Debian did.
            public let head: Int
        }
    }
}

/// What `curl_version_info` says, read once.
struct CurlVersion: Sendable {
    static let current = CurlVersion()

    /// Whether a handle that serves a second time remembers the last field of its first response, which was freed: before 8.1.1,
    /// and to be on the safe side before 8.2.0. See ``FirstFieldCheck``.
    let remembersLastField: Bool
    let version: String
    /// The same as one number, `0x075801` for 7.88.1.
    let number: UInt32
    let protocols: [String]
    let hasHTTP2: Bool
    let tlsBackend: String?

    private init() {
        guard let info = ccurl_version() else {
            version = "unknown"
            number = 0
            remembersLastField = true
            protocols = []
            hasHTTP2 = false
            tlsBackend = nil
            return
        }
        number = info.pointee.version_num
        remembersLastField = number < 0x08_0200
        version = info.pointee.version.map { String(cString: $0) } ?? "unknown"
        var protocols: [String] = []
        var next = info.pointee.protocols
        while let name = next?.pointee {
            protocols.append(String(cString: name))
            next = next?.advanced(by: 1)
        }
        self.protocols = protocols
        // The bits are macros that Swift does not import; their numbers are part of libcurl's ABI. This is CURL_VERSION_HTTP2.
        hasHTTP2 = info.pointee.features & (1 << 16) != 0 && StreamEnds.areSeen
        tlsBackend = info.pointee.ssl_version.map { String(cString: $0) }
    }

    var capabilities: CurlTransport.Capabilities {
        CurlTransport.Capabilities(
            protocols: protocols, httpVersions: ["1.1"] + (hasHTTP2 ? ["2"] : []), tlsBackend: tlsBackend,
            contentCodings: ContentDecoder.codings, pinsWholeChain: OpenSSL.linked != nil,
            hasPublicSuffixList: PublicSuffixList.loaded != nil,
            limits: .init(headLine: 100 * 1_024, head: 300 * 1_024))
    }
}

/// What is done once in a process.
enum CurlGlobal {
    static let code: CURLcode = {
        ccurl_ignore_sigpipe()
        // Before libcurl calls anything of OpenSSL's; see there.
        _ = OpenSSL.libraries
        return ccurl_global_init()
    }()
}
