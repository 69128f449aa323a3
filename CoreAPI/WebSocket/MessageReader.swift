package import Foundation

/// Reads messages and control frames out of bytes in pieces of any size. It keeps at most one message of the allowed size, and
/// fails at the first byte that breaks a rule.
package struct MessageReader {
    package enum Event: Sendable, Equatable {
        case message(WebSocket.Message)
        case ping(Data)
        case pong(Data)
        /// `nil` without a code (1005).
        case close(WebSocket.CloseCode?, reason: String)
    }

    private let role: Role
    private let messageSize: Int
    private let frameSize: Int
    private let inflater: MessageInflater?
    /// The first bytes of an incomplete head.
    private var partialHead: [UInt8] = []
    private var frame: FrameHead?
    /// Of its payload, the bytes read so far.
    private var offset = 0
    private var control: [UInt8] = []
    private var message: Message?
    private var scratch: [UInt8] = []

    /// A message whose last fragment has not arrived.
    private struct Message {
        let isText: Bool
        let isCompressed: Bool
        var bytes = Data()
        var check = UTF8Check()
    }

    init(_ role: Role, _ options: WebSocket.Options, _ inflater: MessageInflater?) {
        (self.role, self.inflater) = (role, inflater)
        (messageSize, frameSize) = (max(0, options.messageSize), max(0, options.frameSize))
    }

    /// Makes a reader without compression, or with the default parameters.
    package init(_ role: Role, _ options: WebSocket.Options = WebSocket.Options(), inflates: Bool) {
        self.init(role, options, inflates ? MessageInflater(DeflateAgreement()) : nil)
    }

    /// Whether a frame or a message is incomplete.
    package var isInside: Bool { frame != nil || message != nil || !partialHead.isEmpty }
    /// The bytes of a message whose last fragment has not arrived; `nil` between messages.
    var unfinished: Int? { message?.bytes.count }

    /// The next event in the bytes from an index on, which moves; `nil` if all bytes are read.
    mutating func next(_ bytes: UnsafeRawBufferPointer, at index: inout Int) throws(Violation) -> Event? {
        while true {
            if frame == nil, try !readHead(bytes, &index) { return nil }
            guard let frame else { return nil }
            let count = min(frame.length - offset, bytes.count - index)
            if count > 0 {
                let piece = UnsafeRawBufferPointer(rebasing: bytes[index..<index + count])
                index += count
                try takeMasked(piece, of: frame)
                offset += count
            }
            guard offset == frame.length else { return nil }
            self.frame = nil
            if let event = try end(frame) { return event }
        }
    }

    private mutating func readHead(_ bytes: UnsafeRawBufferPointer, _ index: inout Int) throws(Violation) -> Bool {
        guard index < bytes.count else { return false }
        let known = partialHead.count
        partialHead += bytes[index...].prefix(FrameHead.longest - known)
        let found = try partialHead.withUnsafeBufferPointer { head throws(Violation) in
            try FrameHead.read(UnsafeRawBufferPointer(head), role: role, allowsCompressed: inflater != nil)
        }
        guard let (head, size) = found else {
            index = bytes.count
            return false
        }
        index += size - known
        partialHead.removeAll(keepingCapacity: true)
        try begin(head)
        return true
    }

    private mutating func begin(_ head: FrameHead) throws(Violation) {
        frame = head
        offset = 0
        if head.opcode.isControl { return control.removeAll(keepingCapacity: true) }
        guard head.length <= frameSize else {
            throw Violation("a frame of \(head.length) bytes; at most \(frameSize) are allowed", code: .messageTooBig)
        }
        if head.opcode == .continuation {
            guard message != nil else { throw Violation("a continuation without a beginning (RFC 6455 §5.4)") }
            guard !head.isCompressed else { throw Violation("RSV1 in a continuation (RFC 7692 §6.1)") }
        } else {
            guard message == nil else { throw Violation("a message inside another one (RFC 6455 §5.4)") }
            message = Message(isText: head.opcode == .text, isCompressed: head.isCompressed)
        }
        // The size of a compressed message is known only after decompression.
        guard let message, !message.isCompressed else { return }
        guard head.length <= messageSize - message.bytes.count else { throw tooLarge }
    }

    private var tooLarge: Violation { Violation("a message of more than \(messageSize) bytes", code: .messageTooBig) }

    private mutating func takeMasked(_ piece: UnsafeRawBufferPointer, of head: FrameHead) throws(Violation) {
        guard let mask = head.mask else { return try take(piece, of: head) }
        var bytes = scratch
        scratch = []
        bytes.removeAll(keepingCapacity: true)
        bytes.append(contentsOf: piece)
        bytes.withUnsafeMutableBytes { Masking.apply(mask, to: $0, offset: offset) }
        try bytes.withUnsafeBufferPointer { piece throws(Violation) in try take(UnsafeRawBufferPointer(piece), of: head) }
        scratch = bytes
    }

    private mutating func take(_ piece: UnsafeRawBufferPointer, of head: FrameHead) throws(Violation) {
        guard !head.opcode.isControl else { return control.append(contentsOf: piece) }
        guard let inflater, message?.isCompressed == true else { return try append(piece) }
        try inflater.inflate(piece) { piece throws(Violation) in try append(piece) }
    }

    private mutating func append(_ piece: UnsafeRawBufferPointer) throws(Violation) {
        guard let count = message?.bytes.count, piece.count <= messageSize - count else { throw tooLarge }
        if let base = piece.baseAddress { message?.bytes.append(base.assumingMemoryBound(to: UInt8.self), count: piece.count) }
        if message?.isText == true, message?.check.take(piece) == false { throw Self.notUTF8 }
    }

    private static let notUTF8 = Violation("a text that is not UTF-8 (RFC 6455 §8.1)", code: .invalidData)

    private mutating func end(_ head: FrameHead) throws(Violation) -> Event? {
        switch head.opcode {
        case .ping: return .ping(Data(control))
        case .pong: return .pong(Data(control))
        case .close: return try close()
        case .continuation, .text, .binary: return head.isFinal ? try endMessage() : nil
        }
    }

    private mutating func endMessage() throws(Violation) -> Event? {
        if let inflater, message?.isCompressed == true {
            try inflater.endMessage { piece throws(Violation) in try append(piece) }
        }
        guard let whole = message else { return nil }
        message = nil
        guard whole.isText else { return .message(.binary(whole.bytes)) }
        guard whole.check.isComplete else { throw Self.notUTF8 }
        return .message(.text(String(decoding: whole.bytes, as: UTF8.self)))
    }

    private func close() throws(Violation) -> Event {
        guard !control.isEmpty else { return .close(nil, reason: "") }
        guard control.count >= 2 else { throw Violation("a Close frame with one byte (RFC 6455 §5.5.1)") }
        let code = WebSocket.CloseCode(rawValue: UInt16(control[0]) << 8 | UInt16(control[1]))
        guard code.mayBeSent else { throw Violation("a Close frame with the code \(code) (RFC 6455 §7.4)") }
        guard let reason = String(validating: control[2...], as: UTF8.self) else {
            throw Violation("a Close frame whose reason is not UTF-8 (RFC 6455 §5.5.1)", code: .invalidData)
        }
        return .close(code, reason: reason)
    }
}

/// Checks UTF-8 that arrives in pieces, and rejects the first invalid byte (RFC 3629 §4).
struct UTF8Check {
    /// The number of continuation bytes that must follow, and the allowed values of the next one.
    private var missing = 0
    private var allowed: ClosedRange<UInt8> = 0x80...0xBF

    var isComplete: Bool { missing == 0 }

    /// Whether the bytes so far are valid, apart from an incomplete last character.
    mutating func take(_ bytes: UnsafeRawBufferPointer) -> Bool {
        var index = 0
        while index < bytes.count {
            if missing == 0 {
                index = endOfASCII(bytes, from: index)
                guard index < bytes.count else { return true }
                guard begin(bytes[index]) else { return false }
            } else {
                guard allowed.contains(bytes[index]) else { return false }
                missing -= 1
                allowed = 0x80...0xBF
            }
            index += 1
        }
        return true
    }

    /// Eight bytes at a time: most texts are ASCII.
    private func endOfASCII(_ bytes: UnsafeRawBufferPointer, from start: Int) -> Int {
        var index = start
        while index + 8 <= bytes.count,
            bytes.loadUnaligned(fromByteOffset: index, as: UInt64.self) & 0x8080_8080_8080_8080 == 0
        {
            index += 8
        }
        while index < bytes.count, bytes[index] < 0x80 { index += 1 }
        return index
    }

    private mutating func begin(_ byte: UInt8) -> Bool {
        switch byte {
        case 0xC2...0xDF: missing = 1
        case 0xE0: (missing, allowed) = (2, 0xA0...0xBF)
        case 0xE1...0xEC, 0xEE, 0xEF: missing = 2
        // Excludes surrogates.
        case 0xED: (missing, allowed) = (2, 0x80...0x9F)
        case 0xF0: (missing, allowed) = (3, 0x90...0xBF)
        case 0xF1...0xF3: missing = 3
        // Excludes values above U+10FFFF.
        case 0xF4: (missing, allowed) = (3, 0x80...0x8F)
        default: return false
        }
        return true
    }
}
