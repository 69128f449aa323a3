import Foundation

/// One frame of HTTP/2 (RFC 9113 §4.1).
struct HTTP2Frame {
    enum Kind: UInt8 {
        case data, headers, priority, resetStream, settings, pushPromise, ping, goAway, windowUpdate, continuation
    }

    /// Flags; 1 is END_STREAM in DATA and HEADERS and ACK in SETTINGS and PING.
    struct Flags: OptionSet {
        let rawValue: UInt8
        static let endStream = Flags(rawValue: 0x1)
        static let acknowledges = Flags(rawValue: 0x1)
        static let endHeaders = Flags(rawValue: 0x4)
        static let padded = Flags(rawValue: 0x8)
        static let priority = Flags(rawValue: 0x20)
    }

    /// The client's bytes before its first frame (§3.4).
    static let preface = Data("PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n".utf8)
    static let headSize = 9
    /// The largest frame allowed by default (§4.2).
    static let largest = 16_384

    /// `nil` for an unknown kind, which a receiver ignores.
    var kind: Kind?
    var flags: Flags = []
    var stream: UInt32 = 0
    var payload = Data()

    /// The bytes of the frame.
    var wire: Data {
        var bytes = Data(capacity: Self.headSize + payload.count)
        bytes.append(contentsOf: [
            UInt8(payload.count >> 16 & 0xFF), UInt8(payload.count >> 8 & 0xFF), UInt8(payload.count & 0xFF),
        ])
        bytes.append(contentsOf: [kind?.rawValue ?? 0xFF, flags.rawValue])
        bytes.append(Self.bytes(stream))
        bytes.append(payload)
        return bytes
    }

    /// Removes the first frame from the bytes; nil if it is incomplete.
    static func take(from bytes: inout Data) -> HTTP2Frame? {
        guard bytes.count >= headSize else { return nil }
        let head = Array(bytes.prefix(headSize))
        let length = Int(head[0]) << 16 | Int(head[1]) << 8 | Int(head[2])
        guard bytes.count >= headSize + length else { return nil }
        let payload = Data(bytes.dropFirst(headSize).prefix(length))
        bytes = Data(bytes.dropFirst(headSize + length))
        return HTTP2Frame(
            kind: Kind(rawValue: head[3]), flags: Flags(rawValue: head[4]), stream: number(head[5...]) & 0x7FFF_FFFF,
            payload: payload)
    }

    /// The payload without padding and priority; nil if these are longer than the payload.
    var content: Data? {
        var content = payload
        var padding = 0
        if flags.contains(.padded) {
            guard let length = content.popFirst() else { return nil }
            padding = Int(length)
        }
        if kind == .headers, flags.contains(.priority) { content = content.dropFirst(5) }
        guard padding <= content.count else { return nil }
        return Data(content.dropLast(padding))
    }

    static func bytes(_ number: UInt32) -> Data {
        Data([UInt8(number >> 24), UInt8(number >> 16 & 0xFF), UInt8(number >> 8 & 0xFF), UInt8(number & 0xFF)])
    }

    static func number(_ bytes: some Sequence<UInt8>) -> UInt32 {
        bytes.prefix(4).reduce(0) { $0 << 8 | UInt32($1) }
    }
}
