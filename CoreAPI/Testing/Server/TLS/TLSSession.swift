internal import CoreAPIHTTP
import Foundation

/// One connection's TLS. It never touches a socket: received bytes are fed to it, and bytes to send are drained from it.
///
/// `@unchecked`: all three pointers are used under the session's lock.
final class TLSSession: @unchecked Sendable {
    enum Reading {
        case bytes(Data)
        case needsInput
        /// The peer sent `close_notify`, or broke the protocol.
        case ended
    }

    private let context: TLSContext
    private let session: OpaquePointer
    private let lock = NSLock()
    /// They belong to the session.
    private let input: OpaquePointer
    private let output: OpaquePointer
    private var functions: TLSFunctions { context.functions }

    init?(_ context: TLSContext) {
        let functions = context.functions
        guard let session = functions.newSession(context.pointer), let input = functions.newBuffer(functions.memory()),
            let output = functions.newBuffer(functions.memory())
        else { return nil }
        functions.setBuffers(session, input, output)
        self.context = context
        self.session = session
        self.input = input
        self.output = output
    }

    deinit {
        functions.freeSession(session)
    }

    /// Feeds it the peer's bytes.
    func feed(_ bytes: Data) {
        lock.withLock {
            _ = bytes.withUnsafeBytes { functions.bufferWrite(input, $0.baseAddress, Int32($0.count)) }
        }
    }

    /// The bytes to send to the peer now; may be empty.
    func drain() -> Data {
        lock.withLock {
            var drained = Data()
            var buffer = [UInt8](repeating: 0, count: 16 << 10)
            while true {
                let count = functions.bufferRead(output, &buffer, Int32(buffer.count))
                guard count > 0 else { return drained }
                drained.append(contentsOf: buffer[..<Int(count)])
            }
        }
    }

    /// Continues the handshake: `true` if it is done, `nil` if it needs input.
    func handshake() -> Bool? {
        lock.withLock {
            functions.clearErrors()
            let result = functions.accept(session)
            if result == 1 { return true }
            return functions.error(session, result) == Self.wantsRead ? nil : false
        }
    }

    func read() -> Reading {
        lock.withLock {
            functions.clearErrors()
            var buffer = [UInt8](repeating: 0, count: 64 << 10)
            let count = functions.read(session, &buffer, Int32(buffer.count))
            if count > 0 { return .bytes(Data(buffer[..<Int(count)])) }
            return functions.error(session, count) == Self.wantsRead ? .needsInput : .ended
        }
    }

    /// - Returns: Whether ``drain()`` will return all of it; false if the connection is broken.
    func write(_ bytes: Data) -> Bool {
        lock.withLock {
            functions.clearErrors()
            var rest = bytes[...]
            while !rest.isEmpty {
                let count = rest.withUnsafeBytes { functions.write(session, $0.baseAddress, Int32(min($0.count, 1 << 20))) }
                guard count > 0 else { return false }
                rest = rest.dropFirst(Int(count))
            }
            return true
        }
    }

    /// Sends `close_notify` (RFC 8446 §6.1).
    func shutDown() {
        lock.withLock {
            functions.clearErrors()
            _ = functions.shutDown(session)
        }
    }

    /// The result of the handshake; read when it is done.
    var security: ConnectionSecurity {
        lock.withLock {
            ConnectionSecurity(
                version: functions.version(session).map { String(cString: $0) } ?? "",
                serverName: functions.serverName(session, 0).map { String(cString: $0) },
                isResumed: functions.isResumed(session) == 1)
        }
    }

    var speaksHTTP2: Bool {
        lock.withLock {
            var name: UnsafePointer<UInt8>?
            var length: UInt32 = 0
            functions.selectedProtocol(session, &name, &length)
            return UnsafeBufferPointer(start: name, count: Int(length)).elementsEqual("h2".utf8)
        }
    }

    /// `SSL_ERROR_WANT_READ`
    private static let wantsRead: Int32 = 2
}
