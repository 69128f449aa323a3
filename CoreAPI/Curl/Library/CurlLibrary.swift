internal import CCurl
internal import CoreAPICore
internal import Foundation

/// The libcurl that a transport sends with: what it can do, and which of its defects the kit works around. Made once; a test
/// gives a transport one that can do less, or one whose defects are left alone.
package struct CurlLibrary: Sendable {
    /// The one that the process is linked with.
    package static let linked = CurlLibrary(.linked)

    package let version: CurlVersion
    package private(set) var capabilities: CurlCapabilities
    private var defects: Defects

    private init(_ info: CurlInfo) {
        version = info.version
        capabilities = CurlCapabilities(info)
        defects = Defects(of: info.version)
    }

    func can(_ capability: CurlCapabilities) -> Bool { capabilities.contains(capability) }

    /// Whether the kit works around a defect.
    func has(_ defect: Defect) -> Bool { defects.contains(defect) }

    /// The same library, as if it could not do something.
    package func without(_ capabilities: CurlCapabilities) -> CurlLibrary {
        var library = self
        library.capabilities.subtract(capabilities)
        return library
    }

    /// The same library, with a defect left alone.
    package func leaving(_ defect: Defect) -> CurlLibrary {
        var library = self
        library.defects.remove(defect)
        return library
    }
}

/// What `curl_version_info` says, read once.
struct CurlInfo: Sendable {
    static let linked = CurlInfo()

    let version: CurlVersion
    /// `7.88.1` for instance.
    let name: String
    let features: Int32
    let protocols: [String]
    let tlsBackend: String?
    /// The file of authorities that it was built to trust (`CURL_CA_BUNDLE`); since 7.70.
    let authorities: String?

    private init() {
        guard let info = ccurl_version()?.pointee else {
            (version, name, features, protocols) = (.oldest, "unknown", 0, [])
            (tlsBackend, authorities) = (nil, nil)
            return
        }
        version = CurlVersion(number: info.version_num)
        name = info.version.map { String(cString: $0) } ?? "unknown"
        features = info.features
        var protocols: [String] = []
        var next = info.protocols
        while let name = next?.pointee {
            protocols.append(String(cString: name))
            next = next?.advanced(by: 1)
        }
        self.protocols = protocols
        tlsBackend = info.ssl_version.map { String(cString: $0) }
        // An older library fills a shorter structure.
        authorities = info.age.rawValue >= CURLVERSION_SEVENTH.rawValue ? info.cainfo.map { String(cString: $0) } : nil
    }
}

extension CurlTransport {
    /// The linked libcurl's version, `7.88.1` for instance; asked at run time, because it need not be the one that was compiled
    /// with.
    public static var version: String { CurlInfo.linked.name }

    /// The kit's own version, `0.1.0` for instance.
    public static var kitVersion: String { Kit.version }

    /// What the linked libcurl was built with.
    public static var capabilities: Capabilities { Capabilities(.linked) }

    /// What a libcurl can do, as it says itself (`curl_version_info`), and what the kit can do with the libraries that it brings.
    /// What is asked for and not here fails with ``TransportError/unsupported(capability:)``, which names it.
    public struct Capabilities: Sendable, Hashable {
        /// The URL schemes it knows; the transport allows only http and https, whatever else stands here.
        public let protocols: [String]
        /// The versions of HTTP that are spoken, lowest first: `1.1`, `2`.
        public let httpVersions: [String]
        /// The TLS library with its version, `OpenSSL/3.0.19`, or `nil` without one.
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

        fileprivate init(_ library: CurlLibrary) {
            protocols = CurlInfo.linked.protocols
            httpVersions = ["1.1"] + (library.can(.http2) ? ["2"] : [])
            tlsBackend = CurlInfo.linked.tlsBackend
            contentCodings = ContentDecoder.codings
            pinsWholeChain = library.can(.openSSL) && OpenSSL.linked != nil
            hasPublicSuffixList = PublicSuffixList.loaded != nil
            limits = Bounds(headLine: 100 * 1_024, head: 300 * 1_024)
        }
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
