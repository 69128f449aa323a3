internal import CCurl
internal import CoreAPICore

extension CurlDefect {
    /// A handle keeps the address of its last response's last field after that is freed. If a head's first field continues the
    /// one before (RFC 9112 §5.2), libcurl writes to that address. Fixed in 8.1.1; to be on the safe side, worked around until
    /// 8.2.0.
    ///
    /// The kit rejects such a line before libcurl keeps it (``FirstFieldCheck``). Shown by `ResponseHeadTests.leadingFold`. No
    /// test runs with the workaround switched off, because it would write to freed memory.
    static let rememberedField = CurlDefect(4, in: .before(8, 2, 0))
}

/// Rejects a response whose first field line continues a field, because there is no field before it.
///
/// On request, libcurl shows every line of a head to the write callback before it keeps it (`CURLOPT_HEADER`), and to the header
/// callback afterwards. So the write callback can reject the line, and the header callback knows when there is a field to
/// continue. The very first line, the status, is never kept.
struct FirstFieldCheck {
    private enum State {
        case over
        /// Nothing was received.
        case waiting
        /// The next bytes for the write callback begin a line of the head.
        case atLine
        /// The next bytes belong to a line that has begun, and that is a field or not.
        case inLine(isField: Bool)
    }

    private var state: State

    /// - Parameter isNeeded: whether the linked libcurl has the defect.
    init(isNeeded: Bool) { state = isNeeded ? .waiting : .over }

    var isOver: Bool { if case .over = state { true } else { false } }

    /// Called when the write callback gets a line or, if it is long, a piece of it. Returns whether libcurl may keep it.
    mutating func mayKeep(_ bytes: UnsafeRawBufferPointer) -> Bool {
        guard case .atLine = state, let first = bytes.first else { return true }
        guard first != UInt8(ascii: " "), first != UInt8(ascii: "\t") else { return false }
        // libcurl keeps neither the end of a head, such as that of an interim response, nor the status line that follows it.
        state = .inLine(isField: first != UInt8(ascii: "\r") && first != UInt8(ascii: "\n") && !bytes.begins(with: "HTTP/"))
        return true
    }

    /// Called when the header callback gets a line. Returns whether lines are to be shown from here on; `nil` for no change.
    mutating func lineCame() -> Bool? {
        switch state {
        case .waiting:
            state = .atLine
            return true
        case .inLine(isField: true):
            state = .over
            return false
        case .inLine(isField: false):
            state = .atLine
            return nil
        case .atLine, .over: return nil
        }
    }

    /// The body follows.
    mutating func end() { state = .over }
}

extension CurlHandle {
    /// Called when the header callback gets a line. Returns why the response cannot be trusted.
    func checkFirstField(isEnd: Bool) -> TransportError? {
        var isShown = firstField.lineCame()
        if isEnd, !firstField.isOver {
            // If libcurl treated it as an interim response, its next lines would arrive as an unchecked head.
            guard number(CURLINFO_RESPONSE_CODE) >= 200 else { return .malformedResponse(reason: "its status is unclear") }
            firstField.end()
            isShown = false
        }
        guard let isShown else { return nil }
        do {
            try set(CURLOPT_HEADER, isShown ? 1 : 0)
            return nil
        } catch {
            return error
        }
    }
}
