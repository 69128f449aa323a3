internal import CCurl
internal import CoreAPICookies
internal import CoreAPICore
internal import CoreAPIHTTP
internal import Foundation

/// The libcurl that a transport uses: its capabilities, and its defects that the kit works around.
package struct CurlLibrary: Sendable {
    /// The library that the process is linked with.
    package static let linked = CurlLibrary(.linked)

    package let version: CurlVersion
    private var capabilities: CurlCapabilities
    /// A bit for each ``CurlDefect``.
    private var defects: UInt32 = 0

    private init(_ info: CurlInfo) {
        version = info.version
        capabilities = CurlCapabilities(info)
        for defect in CurlDefect.all where defect.isPresent(in: info.version) { defects |= defect.bit }
    }

    func can(_ capability: CurlCapabilities) -> Bool { capabilities.contains(capability) }
    func has(_ defect: CurlDefect) -> Bool { defects & defect.bit != 0 }

    /// The same library without some capabilities, for tests.
    package func without(_ capabilities: CurlCapabilities) -> CurlLibrary {
        var library = self
        library.capabilities.subtract(capabilities)
        return library
    }

    /// The same library with one workaround switched off, for tests.
    func withoutWorkaround(for defect: CurlDefect) -> CurlLibrary {
        var library = self
        library.defects &= ~defect.bit
        return library
    }
}

/// The result of `curl_version_info`, read once.
struct CurlInfo: Sendable {
    static let linked = CurlInfo()

    let version: CurlVersion
    /// `7.88.1` for instance.
    let name: String
    let features: Int32
    let protocols: [String]
    let tlsBackend: String?
    /// The file of authorities that libcurl trusts by default (`CURL_CA_BUNDLE`); since 7.70.
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
    /// The linked libcurl's version, such as `7.88.1`. Read at run time, because it may differ from the version at compile time.
    public static var version: String { CurlInfo.linked.name }
    /// The kit's own version, `0.1.0` for instance.
    public static var kitVersion: String { Kit.version }
    /// What the linked libcurl was built with.
    public static var capabilities: Capabilities { Capabilities(.linked) }

    /// The capabilities of a libcurl, as it reports them (`curl_version_info`), and of the kit with that libcurl's libraries. A
    /// request that needs a missing one fails with ``TransportError/unsupported(capability:)``, which names it.
    public struct Capabilities: Sendable, Hashable {
        /// The URL schemes that libcurl knows; the transport allows only http and https.
        public let protocols: [String]
        /// The supported versions of HTTP, lowest first: `1.1`, `2`.
        public let httpVersions: [String]
        /// The TLS library with its version, `OpenSSL/3.0.19`, or `nil` without one.
        public let tlsBackend: String?
        /// The content codings that are decoded, as in `Accept-Encoding`: `gzip`, `deflate`, `br`.
        public let contentCodings: [String]
        /// Whether pins are compared with the whole verified chain; otherwise with the server's own key only.
        public let pinsWholeChain: Bool
        /// Whether cookies for public suffixes are recognised by the list; otherwise a cookie is for its host only.
        public let hasPublicSuffixList: Bool
        /// libcurl's own limits, which apply if the channel's ``Limits`` allow more.
        public let limits: Bounds

        /// Limits that no setting can raise.
        public struct Bounds: Sendable, Hashable {
            /// Bytes of one line of a response's head (`CURL_MAX_HTTP_HEADER`).
            public let headLine: Int
            /// Bytes of a response's head, since 8.3.0 and in older versions with the backported limit, as in Debian.
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

/// Initialisation that runs once per process.
enum CurlGlobal {
    static let code: CURLcode = {
        ccurl_ignore_sigpipe()
        // Before libcurl's first call of OpenSSL; see there.
        _ = OpenSSL.libraries
        return ccurl_global_init()
    }()
}

/// A version of libcurl. Versions compare in release order.
package struct CurlVersion: Comparable, Sendable {
    package static let oldest = CurlVersion(number: 0)
    /// After every existing version.
    package static let unreleased = CurlVersion(number: .max)

    /// As in `curl_version_info`: `0x075801` for 7.88.1.
    let number: UInt32

    package static func < (left: CurlVersion, right: CurlVersion) -> Bool { left.number < right.number }
}

extension CurlVersion {
    package init(_ major: UInt32, _ minor: UInt32, _ patch: UInt32) { number = major << 16 | minor << 8 | patch }
}

/// The kit's own, where the standard library's is visible as well.
typealias Mutex = CoreAPIHTTP.Mutex
