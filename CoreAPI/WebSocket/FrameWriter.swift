internal import Foundation

/// Makes the frames of one side.
struct FrameWriter: Sendable {
    let role: Role

    /// A complete frame.
    func frame(_ opcode: Opcode, _ payload: some Collection<UInt8>, isFinal: Bool = true, isCompressed: Bool = false) -> Data {
        let (head, mask) = head(opcode, length: payload.count, isFinal: isFinal, isCompressed: isCompressed)
        var bytes = head
        bytes.reserveCapacity(head.count + payload.count)
        bytes.append(contentsOf: payload)
        if let mask {
            bytes.withUnsafeMutableBytes { Masking.apply(mask, to: UnsafeMutableRawBufferPointer(rebasing: $0[head.count...])) }
        }
        return Data(bytes)
    }

    /// The head of a frame and its key: unpredictable, and new for each frame (RFC 6455 §5.3).
    func head(_ opcode: Opcode, length: Int, isFinal: Bool, isCompressed: Bool) -> ([UInt8], mask: UInt32?) {
        let mask = role == .client ? UInt32.random(in: .min ... .max) : nil
        var bytes: [UInt8] = []
        bytes.reserveCapacity(FrameHead.longest)
        FrameHead(isFinal: isFinal, isCompressed: isCompressed, opcode: opcode, length: length, mask: mask).write(into: &bytes)
        return (bytes, mask)
    }

    /// A piece of a payload, masked.
    func piece(_ bytes: some Collection<UInt8>, _ mask: UInt32?, offset: Int) -> Data {
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
