internal import Foundation

/// The kind of a frame (RFC 6455 §5.2).
package enum Opcode: UInt8, Sendable {
    case continuation = 0
    case text = 1
    case binary = 2
    case close = 8
    case ping = 9
    case pong = 10

    var isControl: Bool { rawValue >= 8 }
}

/// A side of the connection. A client masks its frames, a server does not (RFC 6455 §5.1).
package enum Role: Sendable { case client, server }

/// A frame's head (RFC 6455 §5.2).
struct FrameHead: Equatable {
    var isFinal: Bool
    var isCompressed: Bool
    var opcode: Opcode
    var length: Int
    var mask: UInt32?

    /// The largest head, and the largest payload of a control frame (§5.5).
    static let longest = 14
    static let controlSize = 125

    /// Reads a head and its size from its first bytes; `nil` if bytes are missing. Compression gives RSV1 a meaning (RFC 7692
    /// §6).
    static func read(
        _ bytes: UnsafeRawBufferPointer, role: Role, allowsCompressed: Bool
    ) throws(Violation) -> (FrameHead, size: Int)? {
        guard bytes.count >= 2 else { return nil }
        let (first, second) = (bytes[0], bytes[1])
        guard first & 0x30 == 0, allowsCompressed || first & 0x40 == 0 else {
            throw Violation("a frame with reserved bits that no extension defines (RFC 6455 §5.2)")
        }
        guard let opcode = Opcode(rawValue: first & 0x0F) else {
            throw Violation("a frame with the reserved opcode \(first & 0x0F) (RFC 6455 §5.2)")
        }
        let isMasked = second & 0x80 != 0
        guard isMasked == (role == .server) else {
            throw Violation("a frame that is \(isMasked ? "" : "not ")masked (RFC 6455 §5.1)")
        }
        var head = FrameHead(
            isFinal: first & 0x80 != 0, isCompressed: first & 0x40 != 0, opcode: opcode, length: Int(second & 0x7F), mask: nil)
        try head.checkControl()
        let extra = head.length == 126 ? 2 : head.length == 127 ? 8 : 0
        let size = 2 + extra + (isMasked ? 4 : 0)
        guard bytes.count >= size else { return nil }
        if extra > 0 { head.length = try length(bytes, extra) }
        if isMasked { head.mask = bytes.loadUnaligned(fromByteOffset: 2 + extra, as: UInt32.self) }
        return (head, size)
    }

    private func checkControl() throws(Violation) {
        guard opcode.isControl else { return }
        guard isFinal else { throw Violation("a control frame in fragments (RFC 6455 §5.5)") }
        guard !isCompressed else { throw Violation("a compressed control frame (RFC 7692 §6.1)") }
        guard length <= Self.controlSize else { throw Violation("a control frame of more than 125 bytes (RFC 6455 §5.5)") }
    }

    private static func length(_ bytes: UnsafeRawBufferPointer, _ count: Int) throws(Violation) -> Int {
        let value = bytes[2..<2 + count].reduce(UInt64(0)) { $0 << 8 | UInt64($1) }
        guard let length = Int(exactly: value) else { throw Violation("a frame with a length of 2^63 or more (RFC 6455 §5.2)") }
        guard length > (count == 2 ? 125 : 65_535) else {
            throw Violation("a frame's length in more bytes than it needs (RFC 6455 §5.2)")
        }
        return length
    }

    var bytes: [UInt8] {
        var bytes = [(isFinal ? 0x80 : 0) | (isCompressed ? 0x40 : 0) | opcode.rawValue]
        let masked: UInt8 = mask == nil ? 0 : 0x80
        switch length {
        case ...125: bytes.append(masked | UInt8(length))
        case ...65_535: bytes += [masked | 126, UInt8(length >> 8), UInt8(length & 0xFF)]
        default:
            bytes.append(masked | 127)
            bytes += stride(from: 56, through: 0, by: -8).map { UInt8(truncatingIfNeeded: length >> $0) }
        }
        if let mask { withUnsafeBytes(of: mask) { bytes += $0 } }
        return bytes
    }
}

struct FrameWriter: Sendable {
    let role: Role

    func frame(_ opcode: Opcode, _ payload: some Collection<UInt8>, isFinal: Bool = true, isCompressed: Bool = false) -> Data {
        let (head, mask) = head(opcode, length: payload.count, isFinal: isFinal, isCompressed: isCompressed)
        return head + piece(payload, mask)
    }

    /// The head of a frame and its key: unpredictable, and new for each frame (RFC 6455 §5.3).
    func head(_ opcode: Opcode, length: Int, isFinal: Bool, isCompressed: Bool) -> (Data, mask: UInt32?) {
        let mask = role == .client ? UInt32.random(in: .min ... .max) : nil
        let head = FrameHead(isFinal: isFinal, isCompressed: isCompressed, opcode: opcode, length: length, mask: mask)
        return (Data(head.bytes), mask)
    }

    /// A piece of a payload, masked.
    func piece(_ bytes: some Collection<UInt8>, _ mask: UInt32?, offset: Int = 0) -> Data {
        var piece = Data(bytes)
        if let mask { piece.withUnsafeMutableBytes { Masking.apply(mask, to: $0, offset: offset) } }
        return piece
    }

    /// A Close frame. It omits a code that may not be sent, and cuts a reason that is too long for a control frame at a
    /// character.
    func close(_ code: WebSocket.CloseCode, _ reason: String) -> Data {
        guard code.mayBeSent else { return frame(.close, EmptyCollection()) }
        var text = reason
        if text.utf8.count > FrameHead.controlSize - 2 {
            text = ""
            for character in reason {
                guard text.utf8.count + character.utf8.count <= FrameHead.controlSize - 2 else { break }
                text.append(character)
            }
        }
        return frame(.close, [UInt8(code.rawValue >> 8), UInt8(code.rawValue & 0xFF)] + Array(text.utf8))
    }
}

/// Masks or unmasks bytes by exclusive or with a masking key (RFC 6455 §5.3).
enum Masking {
    /// The key's four bytes are in the order of the wire. The offset is that of the bytes within the payload.
    static func apply(_ key: UInt32, to bytes: UnsafeMutableRawBufferPointer, offset: Int = 0) {
        let shift = UInt32(offset & 3) * 8
        let key = UInt32(littleEndian: key)
        let turned = shift == 0 ? key : key >> shift | key << (32 - shift)
        let wide = UInt64(turned) << 32 | UInt64(turned)
        var index = 0
        while index + 8 <= bytes.count {
            let word = UInt64(littleEndian: bytes.loadUnaligned(fromByteOffset: index, as: UInt64.self)) ^ wide
            bytes.storeBytes(of: word.littleEndian, toByteOffset: index, as: UInt64.self)
            index += 8
        }
        while index < bytes.count {
            bytes[index] ^= UInt8(truncatingIfNeeded: turned >> (UInt32(index & 3) * 8))
            index += 1
        }
    }
}

/// A rule that the peer broke; the socket ends with the code.
struct Violation: Error, Equatable {
    let code: WebSocket.CloseCode
    let reason: String

    init(_ reason: String, code: WebSocket.CloseCode = .protocolError) { (self.code, self.reason) = (code, reason) }
}
