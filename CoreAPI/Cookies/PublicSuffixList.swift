internal import CoreAPIHTTP

/// The domains under which anyone may register a host, such as `co.uk` and `github.io` (publicsuffix.org). A cookie for such a
/// domain would reach strangers.
package struct PublicSuffixList: Sendable {
    /// Whether a domain is a public suffix. A domain whose top level is not listed is one if it has no dot.
    let contains: @Sendable (_ domain: String) -> Bool
    /// Whether a host may set a cookie for a domain.
    let accepts: @Sendable (_ domain: String, _ host: String) -> Bool

    /// The list of libpsl, if libcurl has loaded it; otherwise `nil`.
    package static let loaded: PublicSuffixList? = {
        guard let psl = LoadedLibrary("libpsl.so.5", "libpsl.5.dylib"), let builtIn = psl["psl_builtin"],
            let isSuffix = psl["psl_is_public_suffix"], let isAcceptable = psl["psl_is_cookie_domain_acceptable"],
            let list = unsafeBitCast(builtIn, to: BuiltIn.self)()
        else { return nil }
        let contains = unsafeBitCast(isSuffix, to: IsSuffix.self)
        let accepts = unsafeBitCast(isAcceptable, to: IsAcceptable.self)
        // Constant data of a library that is never unloaded.
        nonisolated(unsafe) let constant = list
        return PublicSuffixList(
            contains: { contains(constant, $0) != 0 }, accepts: { domain, host in accepts(constant, host, domain) != 0 })
    }()

    private typealias BuiltIn = @convention(c) () -> OpaquePointer?
    private typealias IsSuffix = @convention(c) (OpaquePointer, UnsafePointer<CChar>) -> Int32
    private typealias IsAcceptable = @convention(c) (OpaquePointer, UnsafePointer<CChar>, UnsafePointer<CChar>) -> Int32
}
