internal import CoreAPIHTTP

/// The domains under which anyone may register a host, such as `co.uk` and `github.io` (publicsuffix.org). A cookie for such a
/// domain would reach strangers.
package struct PublicSuffixList: Sendable {
    /// Whether a domain is a public suffix. A domain whose top level is not listed is one if it has no dot.
    let contains: @Sendable (_ domain: String) -> Bool
    /// Whether a host may set a cookie for a domain.
    let accepts: @Sendable (_ domain: String, _ host: String) -> Bool

    /// The list of libpsl, if libcurl has loaded it; otherwise `nil`.
    package static let loaded = try? PublicSuffixList()
}

extension PublicSuffixList {
    private init() throws(LoadedLibrary.MissingFunction) {
        guard let psl = LoadedLibrary("libpsl.so.5", "libpsl.5.dylib") else { throw .init() }
        let builtIn: @convention(c) () -> OpaquePointer? = try psl.function("psl_builtin")
        let isSuffix: @convention(c) (OpaquePointer, UnsafePointer<CChar>) -> Int32 = try psl.function("psl_is_public_suffix")
        let isAcceptable: @convention(c) (OpaquePointer, UnsafePointer<CChar>, UnsafePointer<CChar>) -> Int32 =
            try psl.function("psl_is_cookie_domain_acceptable")
        guard let list = builtIn() else { throw .init() }
        // Constant data of a library that is never unloaded.
        nonisolated(unsafe) let constant = list
        self.init(
            contains: { isSuffix(constant, $0) != 0 }, accepts: { domain, host in isAcceptable(constant, host, domain) != 0 })
    }
}
