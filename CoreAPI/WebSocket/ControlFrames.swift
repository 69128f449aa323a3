internal import Foundation

/// Pings, and responses to pings, that wait to be sent.
struct ControlFrames {
    struct Frame {
        let opcode: Opcode
        let payload: Data

        /// Whether it is a ping of the keep-alive: an app's ping has a payload.
        var isKeepAlive: Bool { opcode == .ping && payload.isEmpty }
    }

    private var pongs: [Data] = []
    var pings: [Data] = []
    private var isSending = false
    private var isOver = false

    /// In a flood of pings the oldest unsent answers are dropped (RFC 6455 §5.5.3).
    mutating func appendPong(_ payload: Data) {
        if pongs.count == Self.longest { pongs.removeFirst() }
        pongs.append(payload)
    }

    private static let longest = 64

    /// - Returns: whether the caller must start a task that sends them.
    mutating func beginSending() -> Bool {
        guard !isSending, !isOver, !pongs.isEmpty || !pings.isEmpty else { return false }
        isSending = true
        return true
    }

    /// The next frame; `nil` ends the sending task.
    mutating func next() -> Frame? {
        let frame = nextBetweenFragments()
        if frame == nil { isSending = false }
        return frame
    }

    mutating func nextBetweenFragments() -> Frame? {
        guard !isOver else { return nil }
        if !pongs.isEmpty { return Frame(opcode: .pong, payload: pongs.removeFirst()) }
        return pings.isEmpty ? nil : Frame(opcode: .ping, payload: pings.removeFirst())
    }

    /// Ends the sending: no frame follows the Close frame.
    mutating func end() { isOver = true }
}
