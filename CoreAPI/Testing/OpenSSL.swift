internal import CoreAPI
internal import CoreAPIHTTP
internal import Foundation

extension LoadedLibrary {
    /// nghttp2, which decodes compressed header fields (RFC 7541).
    static let nghttp2 = LoadedLibrary("libnghttp2.so.14", "libnghttp2.14.dylib")

    /// A function of a library, by name. `Function` must be its C type.
    static func function<Function>(_ name: String, in library: LoadedLibrary?) throws(LoopbackServerError) -> Function {
        guard let library, let function: Function = try? library.function(name) else { throw .missing(function: name) }
        return function
    }
}

/// OpenSSL 3, as libcurl has loaded it: its functions by name, and the types of those functions.
enum OpenSSL {
    typealias Pointer = OpaquePointer
    typealias Text = UnsafePointer<CChar>
    typealias Bytes = UnsafePointer<UInt8>
    typealias New = @convention(c) () -> Pointer?
    typealias Get = @convention(c) (Pointer?) -> Pointer?
    typealias Free = @convention(c) (Pointer?) -> Void
    typealias Act = @convention(c) (Pointer?) -> Int32
    typealias Use = @convention(c) (Pointer?, Pointer?) -> Int32
    typealias Make = @convention(c) (Pointer?, UnsafeMutablePointer<Pointer?>) -> Int32
    typealias Encode = @convention(c) (Pointer?, UnsafeMutablePointer<UnsafeMutablePointer<UInt8>?>?) -> Int32

    private static let libraries = (
        crypto: LoadedLibrary.crypto("libcrypto.so.3", "libcrypto.3.dylib"), ssl: LoadedLibrary("libssl.so.3", "libssl.3.dylib")
    )

    /// A function for keys, certificates and buffers.
    static func crypto<Function>(_ name: String, _: Function.Type = Function.self) throws(LoopbackServerError) -> Function {
        try LoadedLibrary.function(name, in: libraries.crypto)
    }

    static func ssl<Function>(_ name: String, _: Function.Type = Function.self) throws(LoopbackServerError) -> Function {
        try LoadedLibrary.function(name, in: libraries.ssl)
    }

    /// Makes a key, or the parameters of one; the caller frees it. Its kind is a `NID_…`.
    static func make(
        _ kind: Int32, _ functions: (begin: String, make: String), _ option: String, _ value: String, _ what: String
    ) throws(LoopbackServerError) -> Pointer {
        let new: @convention(c) (Int32, Pointer?) -> Pointer? = try crypto("EVP_PKEY_CTX_new_id")
        let set: @convention(c) (Pointer?, Text, Text) -> Int32 = try crypto("EVP_PKEY_CTX_ctrl_str")
        let (begin, make): (Act, Make) = try (crypto(functions.begin), crypto(functions.make))
        let free: Free = try crypto("EVP_PKEY_CTX_free")
        let context = new(kind, nil)
        defer { free(context) }
        var made: Pointer?
        guard begin(context) == 1, set(context, option, value) == 1, make(context, &made) == 1, let made else {
            throw .rejectedByOpenSSL(what)
        }
        return made
    }

    /// An object in the textual form of DER (RFC 7468), and its DER.
    static func pem(_ label: String, _ object: Pointer, _ encode: Encode) throws(LoopbackServerError) -> (text: String, Data) {
        let failure = LoopbackServerError.rejectedByOpenSSL("to encode what it made")
        let length = encode(object, nil)
        guard length > 0 else { throw failure }
        var der = Data(count: Int(length))
        let written = der.withUnsafeMutableBytes { buffer in
            var next = buffer.bindMemory(to: UInt8.self).baseAddress
            return encode(object, &next)
        }
        guard written == length else { throw failure }
        let base64 = der.base64EncodedString(options: [.lineLength64Characters, .endLineWithLineFeed])
        return ("-----BEGIN \(label)-----\n\(base64)\n-----END \(label)-----\n", der)
    }
}
