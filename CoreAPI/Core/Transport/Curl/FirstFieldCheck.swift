internal import CCurl

/// Keeps a response's first field from being one that continues the field before it (RFC 9112 §5.2), because there is none.
///
/// A libcurl before 8.1.1 remembers where the last field of a handle's last response was, when it has long been freed, and appends such a
/// line there. It shows every line of a head to the write callback before it keeps it, if it is asked to (`CURLOPT_HEADER`), and to the
/// header callback afterwards: so the first of these can refuse the line, and the second knows when there is a field to continue.
struct FirstFieldCheck {
    private enum State {
        case over
        /// The next bytes for the write callback begin a line of the head.
        case atLine
        /// They belong to one that has begun, and which is a field or not.
        case inLine(isField: Bool)
    }

    private var state: State

    /// - Parameter isNeeded: whether there is anything to check.
    init(isNeeded: Bool) {
        state = isNeeded ? .atLine : .over
    }

    var isOver: Bool { if case .over = state { true } else { false } }

    /// The write callback is shown a line or, when it is long, a piece of it.
    ///
    /// - Returns: whether libcurl may keep it.
    mutating func mayKeep(_ bytes: UnsafeRawBufferPointer) -> Bool {
        guard case .atLine = state, let first = bytes.first else { return true }
        switch first {
        case UInt8(ascii: " "), UInt8(ascii: "\t"): return false
        // A status line, perhaps, or the end of a head, such as that of an interim response: libcurl keeps neither.
        case UInt8(ascii: "H"), UInt8(ascii: "h"), UInt8(ascii: "\r"), UInt8(ascii: "\n"): state = .inLine(isField: false)
        default: state = .inLine(isField: true)
        }
        return true
    }

    /// The header callback has the line.
    mutating func wasKept() {
        guard case .inLine(let isField) = state else { return }
        state = isField ? .over : .atLine
    }

    /// What comes next is the body.
    mutating func end() {
        state = .over
    }
}

extension CurlHandle {
    /// For a handle that has served, where libcurl cannot bear that otherwise.
    func beginFirstFieldCheck() throws(TransportError) {
        let isNeeded = hasServed && CurlVersion.current.remembersLastField
        firstField = FirstFieldCheck(isNeeded: isNeeded)
        if isNeeded { try set(CURLOPT_HEADER, 1) }
    }

    /// The header callback has a line.
    ///
    /// - Returns: why the response cannot be trusted.
    func passFirstField(isEnd: Bool) -> TransportError? {
        firstField.wasKept()
        if isEnd, !firstField.isOver {
            // Were it an interim response to libcurl, its next lines would come as a head that nobody checks.
            guard number(CURLINFO_RESPONSE_CODE) >= 200 else { return .malformedResponse(reason: "its status is unclear") }
            firstField.end()
        }
        guard firstField.isOver else { return nil }
        do {
            try set(CURLOPT_HEADER, 0)
            return nil
        } catch {
            return error
        }
    }
}
