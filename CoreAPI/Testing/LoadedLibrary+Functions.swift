internal import CoreAPI

extension LoadedLibrary {
    /// OpenSSL's TLS, 3.0 or newer, as libcurl has loaded it.
    static let ssl = LoadedLibrary("libssl.so.3", "libssl.3.dylib")
    /// OpenSSL's cryptography. Any caller of a function of either library has looked one up in this one before.
    static let crypto = LoadedLibrary.crypto("libcrypto.so.3", "libcrypto.3.dylib")
    /// nghttp2, which decodes compressed header fields (RFC 7541).
    static let nghttp2 = LoadedLibrary("libnghttp2.so.14", "libnghttp2.14.dylib")

    /// A function of a library, by name. `Function` must be its C type.
    static func function<Function>(_ name: String, in library: LoadedLibrary?) throws(LoopbackServerError) -> Function {
        guard let pointer = library?[name] else { throw .missing(function: name) }
        return unsafeBitCast(pointer, to: Function.self)
    }
}
