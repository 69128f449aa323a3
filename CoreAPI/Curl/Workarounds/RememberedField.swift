internal import CCurl
internal import CoreAPICore

extension Defect {
    /// A handle remembers where the last field of its last response was, when that has long been freed. A head whose first field
    /// continues the one before (RFC 9112 §5.2) is written there. Mended in 8.1.1; to be on the safe side until 8.2.0.
    ///
    /// The kit refuses such a line before libcurl keeps it (``FirstFieldCheck``). Shown by `ResponseHeadTests.leadingFold`: not
    /// with the workaround switched off, because memory that was freed is not written to on purpose.
    static let rememberedField = Defect(6, in: .before(8, 2, 0))
}

/// Refuses a response whose first field line continues a field, because there is no field before it.
///
/// libcurl shows every line of a head to the write callback before it keeps it, if it is asked to (`CURLOPT_HEADER`), and to the
/// header callback afterwards: so the first of these can refuse the line, and the second knows when there is a field to continue.
/// The first line of all, the status, is never kept.
struct FirstFieldCheck {
    private enum State {
        case over
        /// Nothing has come.
        case waiting
        /// The next bytes for the write callback begin a line of the head.
        case atLine
        /// They belong to one that has begun, and which is a field or not.
        case inLine(isField: Bool)
    }

    private var state: State

    /// - Parameter isNeeded: whether there is anything to check.
    init(isNeeded: Bool) {
        state = isNeeded ? .waiting : .over
    }

    var isOver: Bool { if case .over = state { true } else { false } }

    /// The write callback is shown a line or, when it is long, a piece of it.
    ///
    /// - Returns: whether libcurl may keep it.
    mutating func mayKeep(_ bytes: UnsafeRawBufferPointer) -> Bool {
        guard case .atLine = state, let first = bytes.first else { return true }
        guard first != UInt8(ascii: " "), first != UInt8(ascii: "\t") else { return false }
        // libcurl keeps neither the end of a head, such as that of an interim response, nor the status line that follows it.
        state = .inLine(isField: first != UInt8(ascii: "\r") && first != UInt8(ascii: "\n") && !bytes.begins(with: "HTTP/"))
        return true
    }

    /// The header callback has a line.
    ///
    /// - Returns: whether lines are to be shown from here on, where that changes.
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

    /// What comes next is the body.
    mutating func end() {
        state = .over
    }
}

extension CurlHandle {
    /// The header callback has a line.
    ///
    /// - Returns: why the response cannot be trusted.
    func checkFirstField(isEnd: Bool) -> TransportError? {
        var isShown = firstField.lineCame()
        if isEnd, !firstField.isOver {
            // Were it an interim response to libcurl, its next lines would come as a head that is not checked.
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
