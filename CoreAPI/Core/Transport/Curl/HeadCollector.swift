/// Gathers the bytes of a response's head as the header callback delivers them, line by line, and nothing else: parsing is left to
/// whoever waits for the response, so that the loop's thread makes no strings.
///
/// Interim responses (1xx, RFC 9110 §15.2) are dropped when the next head begins. Lines after the final head are trailers: they are
/// dropped too, because a field that comes after the body must not change what the head said (RFC 9110 §6.5.1).
struct HeadCollector {
    enum Line {
        /// The first line of a head, with whether its protocol multiplexes.
        case status(multiplexes: Bool)
        case other
        /// The last line of the final head.
        case end
        /// The last line of a head that ends HTTP on the connection.
        case switching
        /// More bytes came than may.
        case tooLarge
        /// More lines came than may.
        case tooMany
    }

    private(set) var bytes: [UInt8] = []
    /// Whether a final head arrived to its end.
    private(set) var isComplete = false
    /// Whether a line may be `Content-Encoding`; most heads have none, and then nobody has to look for it.
    private(set) var mayNameCodings = false
    private var received = 0
    private var lines = 0
    private var expectsStatus = true

    /// - Parameters:
    ///   - limit: bytes of all lines together, interim responses and trailers included, because a flood of those is a flood as well.
    ///   - lineLimit: all those lines.
    mutating func append(_ line: UnsafeRawBufferPointer, limit: Int, lineLimit: Int) -> Line {
        received += line.count
        lines += 1
        guard received <= limit else { return .tooLarge }
        guard lines <= lineLimit else { return .tooMany }
        guard !isComplete else { return .other }
        if expectsStatus, line.begins(with: "HTTP/") {
            expectsStatus = false
            mayNameCodings = false
            bytes.removeAll(keepingCapacity: true)
            // With an array's own 32 bytes the largest block that malloc hands out without a search.
            bytes.reserveCapacity(992)
            bytes.append(contentsOf: line)
            return .status(multiplexes: line.count > 5 && line[5] != UInt8(ascii: "1"))
        }
        bytes.append(contentsOf: line)
        if line.count > 16, line[16] == UInt8(ascii: ":"), line[0] | 0x20 == UInt8(ascii: "c") { mayNameCodings = true }
        if line.count <= 2, line.allSatisfy({ $0 == 0x0D || $0 == 0x0A }) {
            guard !hasStatus(beginning: "101") else { return .switching }
            isComplete = !hasStatus(beginning: "1")
            expectsStatus = !isComplete
            return isComplete ? .end : .other
        }
        return .other
    }

    private func hasStatus(beginning digits: StaticString) -> Bool {
        guard let space = bytes.firstIndex(of: UInt8(ascii: " ")) else { return false }
        let count = digits.utf8CodeUnitCount
        guard bytes.count > space + count else { return false }
        for index in 0..<count where bytes[space + 1 + index] != digits.utf8Start[index] { return false }
        return true
    }
}

extension UnsafeRawBufferPointer {
    /// As `starts(with:)`, whose iterators cost ten times as much.
    func begins(with text: StaticString) -> Bool {
        guard count >= text.utf8CodeUnitCount else { return false }
        for index in 0..<text.utf8CodeUnitCount where self[index] != text.utf8Start[index] { return false }
        return true
    }
}
