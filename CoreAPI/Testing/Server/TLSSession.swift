internal import CoreAPIHTTP
import Foundation

/// A server's TLS settings in OpenSSL: certificate, key and terms, the same for every connection.
///
/// `@unchecked`: OpenSSL's contexts are made for threads; it does not change after the start.
final class TLSContext: @unchecked Sendable {
    fileprivate let openSSL: OpenSSL
    fileprivate let pointer: OpaquePointer
    /// The protocols in ALPN's format. OpenSSL keeps a pointer to one of them.
    private let offered: UnsafeMutableBufferPointer<UInt8>

    init(_ settings: ServerTLS) throws(LoopbackServerError) {
        openSSL = try OpenSSL.loaded.get()
        guard let pointer = openSSL.newContext(openSSL.serverMethod()) else { throw .rejectedByOpenSSL("a context") }
        self.pointer = pointer
        let protocols = settings.protocols.flatMap { [UInt8($0.rawValue.utf8.count)] + Array($0.rawValue.utf8) }
        offered = .allocate(capacity: protocols.count)
        _ = offered.initialize(from: protocols)
        try configure(settings)
    }

    deinit {
        openSSL.freeContext(pointer)
        offered.deallocate()
    }

    private func configure(_ settings: ServerTLS) throws(LoopbackServerError) {
        func check(_ isDone: Bool, _ what: String) throws(LoopbackServerError) {
            guard isDone else { throw .rejectedByOpenSSL(what) }
        }
        // Level 0 allows everything that the client must reject.
        openSSL.setSecurityLevel(pointer, 0)
        try check(openSSL.useCertificate(pointer, settings.certificate.pointer) == 1, "the server's certificate")
        try check(openSSL.useKey(pointer, settings.certificate.key.pointer) == 1, "the server's key")
        // The numbers of `SSL_CTRL_…`, here and below, are part of OpenSSL's ABI.
        for certificate in settings.intermediates ?? settings.certificate.intermediates {
            let added = openSSL.control(pointer, 89, 1, UnsafeMutableRawPointer(certificate.pointer))
            try check(added == 1, "an intermediate certificate")
        }
        let versions = settings.versions
        try check(openSSL.control(pointer, 123, versions.lowerBound.rawValue, nil) == 1, "the lowest version")
        try check(openSSL.control(pointer, 124, versions.upperBound.rawValue, nil) == 1, "the highest version")
        if let bits = settings.diffieHellmanBits {
            try check(openSSL.useGroup(pointer, openSSL.diffieHellmanGroup(bits: bits)) == 1, "a group of \(bits) bits")
        } else {
            // `SSL_CTRL_SET_DH_AUTO`
            _ = openSSL.control(pointer, 118, 1, nil)
        }
        if let ciphers = settings.ciphers {
            try check(openSSL.setCiphers(pointer, ciphers + ":@SECLEVEL=0") == 1, "the ciphers '\(ciphers)'")
        }
        if let authority = settings.clientAuthority {
            let trusted = openSSL.trust(openSSL.store(pointer), authority.certificate.pointer)
            try check(trusted == 1, "the authority of clients")
            // `SSL_VERIFY_PEER | SSL_VERIFY_FAIL_IF_NO_PEER_CERT`
            openSSL.setVerify(pointer, 3, nil)
        }
        // Without one, a session whose client was verified cannot be resumed.
        _ = openSSL.setSessionContext(pointer, [1], 1)
        openSSL.setSelectProtocol(pointer, Self.selectProtocol, Unmanaged.passUnretained(self).toOpaque())
    }

    /// The first of the server's protocols that the client offers.
    private static let selectProtocol: OpenSSL.SelectProtocol = { _, chosen, chosenLength, list, length, argument in
        // `SSL_TLSEXT_ERR_NOACK`
        guard let argument else { return 3 }
        let context = Unmanaged<TLSContext>.fromOpaque(argument).takeUnretainedValue()
        let own = context.offered
        let outcome = context.openSSL.selectProtocol(chosen, chosenLength, own.baseAddress, UInt32(own.count), list, length)
        // `OPENSSL_NPN_NEGOTIATED`, `SSL_TLSEXT_ERR_OK`
        return outcome == 1 ? 0 : 3
    }
}

/// One connection's TLS. It never touches a socket: received bytes are fed to it, and bytes to send are drained from it.
///
/// `@unchecked`: all three pointers are used under the session's lock.
final class TLSSession: @unchecked Sendable {
    private let context: TLSContext
    private let lock = NSLock()
    private let session: OpaquePointer
    /// They belong to the session.
    private let input, output: OpaquePointer
    private var openSSL: OpenSSL { context.openSSL }

    init?(_ context: TLSContext) {
        let openSSL = context.openSSL
        guard let session = openSSL.newSession(context.pointer), let input = openSSL.newBuffer(openSSL.memory()),
            let output = openSSL.newBuffer(openSSL.memory())
        else { return nil }
        openSSL.setBuffers(session, input, output)
        (self.context, self.session, self.input, self.output) = (context, session, input, output)
    }

    deinit { openSSL.freeSession(session) }

    /// Feeds it the peer's bytes.
    func feed(_ bytes: Data) {
        _ = lock.withLock { bytes.withUnsafeBytes { openSSL.writeBuffer(input, $0.baseAddress, Int32($0.count)) } }
    }

    /// The bytes to send to the peer now; may be empty.
    func drain() -> Data {
        lock.withLock {
            var drained = Data()
            var buffer = [UInt8](repeating: 0, count: 16 << 10)
            while true {
                let count = openSSL.readBuffer(output, &buffer, Int32(buffer.count))
                guard count > 0 else { return drained }
                drained.append(contentsOf: buffer[..<Int(count)])
            }
        }
    }

    /// Continues the handshake: `true` if it is done, `nil` if it needs input.
    func handshake() -> Bool? {
        lock.withLock {
            openSSL.clearErrors()
            let result = openSSL.accept(session)
            if result == 1 { return true }
            return openSSL.error(session, result) == Self.wantsRead ? nil : false
        }
    }

    /// Decrypted bytes; none if it needs input. nil if the peer sent `close_notify` or broke the protocol.
    func read() -> Data? {
        lock.withLock {
            openSSL.clearErrors()
            var buffer = [UInt8](repeating: 0, count: 64 << 10)
            let count = openSSL.read(session, &buffer, Int32(buffer.count))
            if count > 0 { return Data(buffer[..<Int(count)]) }
            return openSSL.error(session, count) == Self.wantsRead ? Data() : nil
        }
    }

    /// Encrypts bytes for ``drain()``; false if the connection is broken.
    func write(_ bytes: Data) -> Bool {
        lock.withLock {
            openSSL.clearErrors()
            var rest = bytes[...]
            while !rest.isEmpty {
                let count = rest.withUnsafeBytes { openSSL.write(session, $0.baseAddress, Int32(min($0.count, 1 << 20))) }
                guard count > 0 else { return false }
                rest = rest.dropFirst(Int(count))
            }
            return true
        }
    }

    /// Sends `close_notify` (RFC 8446 §6.1).
    func shutDown() {
        lock.withLock {
            openSSL.clearErrors()
            _ = openSSL.shutDown(session)
        }
    }

    /// The result of the handshake; read when it is done.
    var security: ConnectionSecurity {
        lock.withLock {
            ConnectionSecurity(
                version: openSSL.version(session).map { String(cString: $0) } ?? "",
                serverName: openSSL.serverName(session, 0).map { String(cString: $0) },
                isResumed: openSSL.isResumed(session) == 1)
        }
    }

    var speaksHTTP2: Bool {
        lock.withLock {
            var name: UnsafePointer<UInt8>?
            var length: UInt32 = 0
            openSSL.selectedProtocol(session, &name, &length)
            return UnsafeBufferPointer(start: name, count: Int(length)).elementsEqual("h2".utf8)
        }
    }

    /// `SSL_ERROR_WANT_READ`
    private static let wantsRead: Int32 = 2
}
