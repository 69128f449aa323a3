import TestSupport

/// Frames of HTTP/2 as bytes, including invalid ones.
enum Frames {
    static func frame(_ kind: UInt8, _ flags: UInt8, _ stream: UInt32, _ payload: Data) -> Data {
        let length = (0..<3).map { UInt8(truncatingIfNeeded: payload.count >> (16 - 8 * $0)) }
        let id = (0..<4).map { UInt8(truncatingIfNeeded: stream >> (24 - 8 * $0)) }
        return Data(length + [kind, flags] + id) + payload
    }

    /// HEADERS, and CONTINUATION if one frame is too small.
    static func head(_ stream: UInt32, _ block: Data, ends: Bool = true) -> Data {
        var rest = block
        var frames = Data()
        var kind: UInt8 = 1
        repeat {
            let piece = Data(rest.prefix(16_384))
            rest = Data(rest.dropFirst(16_384))
            frames += frame(kind, (rest.isEmpty ? 4 : 0) | (kind == 1 && ends ? 1 : 0), stream, piece)
            kind = 9
        } while !rest.isEmpty
        return frames
    }

    /// A literal that is not indexed (RFC 7541 §6.2.2).
    static func field(_ name: String, _ value: String) -> Data { Data([0]) + text(name) + text(value) }

    private static func text(_ text: String) -> Data {
        let bytes = Data(text.utf8)
        guard bytes.count >= 127 else { return Data([UInt8(bytes.count)]) + bytes }
        var length = Data([127])
        var rest = bytes.count - 127
        while rest >= 128 {
            length.append(UInt8(rest % 128 + 128))
            rest /= 128
        }
        return length + [UInt8(rest)] + bytes
    }
}
