import Foundation

/// Reads one request after another from a connection. Bytes that arrive early (pipelining) wait here.
struct RequestReader {
    /// A megabyte: far more than a client sends by design, and a limit for a head that never ends.
    private static let longestHead = 1 << 20

    let socket: ConnectionSocket
    let connection: Int
    /// How many bytes of a body are kept.
    let bodyLimit: Int

    private var exchange = 0
    private var pending = Data()
    /// Called once per request, after half of its body; `false` ends the connection.
    private var halfway: (() -> Bool)?

    init(socket: ConnectionSocket, connection: Int, bodyLimit: Int) {
        self.socket = socket
        self.connection = connection
        self.bodyLimit = bodyLimit
    }

    /// The result of reading.
    enum Reading {
        /// A whole request.
        case whole(ReceivedRequest, RequestHead)
        /// A request with a defect. A malformed one gets a 400; after the others the client is gone.
        case defective(ReceivedRequest, isMalformed: Bool)
        /// The client closed between two requests, or the server is closing.
        case ended
    }

    /// Blocks until a request begins.
    ///
    /// - Parameter interruption: also ends the wait when it opens.
    /// - Returns: Whether one begins; false if the client has closed or the server is closing.
    mutating func begin(orUntil interruption: Latch? = nil) -> Bool { !pending.isEmpty || receive(orUntil: interruption) }

    /// Whether an HTTP/2 connection begins, whose client knew beforehand (RFC 9113 §3.3).
    var isHTTP2: Bool { exchange == 0 && pending.starts(with: Data("PRI * HTTP/2".utf8)) }

    /// Removes and returns the unused bytes.
    mutating func takePending() -> Data { take(pending.count) }

    /// Reads the next request completely.
    ///
    /// - Parameters:
    ///   - fault: the request's fault.
    ///   - halfway: called after half of the body, right after the head if there is none; `false` ends the connection.
    mutating func next(fault: Fault?, halfway: @escaping () -> Bool) -> Reading {
        var request = ReceivedRequest(connection: connection, exchange: exchange, security: socket.security)
        request.fault = fault
        self.halfway = halfway
        exchange += 1
        guard begin() else { return .ended }
        do throws(RequestDefect) {
            request.rawHead = pending
            let bytes = try readHead(into: &request)
            let head = try RequestHead(bytes)
            request.method = head.method
            request.target = head.target
            request.headers = head.headers
            try readBody(head, into: &request)
            try passHalfway()
            return .whole(request, head)
        } catch {
            switch error {
            case .malformed(let reason):
                request.defect = reason
                return .defective(request, isMalformed: true)
            case .brokeOff(let reason):
                request.defect = reason
                return .defective(request, isMalformed: false)
            }
        }
    }

    private mutating func readHead(into request: inout ReceivedRequest) throws(RequestDefect) -> Data {
        let end = Data("\r\n\r\n".utf8)
        while true {
            if let range = pending.range(of: end) {
                request.rawHead = take(range.upperBound - pending.startIndex)
                return request.rawHead
            }
            request.rawHead = pending
            guard pending.count <= Self.longestHead else { throw .malformed("the head has no end after \(pending.count) bytes") }
            guard receive() else { throw .brokeOff("ended inside the head, after \(pending.count) bytes") }
        }
    }

    private mutating func readBody(_ head: RequestHead, into request: inout ReceivedRequest) throws(RequestDefect) {
        guard head.framing != .none, head.framing != .length(0) else { return }
        if head.expectsContinue, pending.isEmpty {
            socket.send(Data("HTTP/1.1 100 Continue\r\n\r\n".utf8))
        }
        switch head.framing {
        case .none:
            break
        case .length(let length):
            try readBytes(length, into: &request)
        case .chunked:
            try readChunks(into: &request)
        }
    }

    private mutating func readChunks(into request: inout ReceivedRequest) throws(RequestDefect) {
        while true {
            let line = try readLine("a chunk size")
            let digits = line.prefix { $0 != ";" }.trimmingCharacters(in: .whitespaces)
            guard digits.allSatisfy(\.isHexDigit), let size = Int(digits, radix: 16) else {
                throw .malformed("expected a chunk size, got \"\(line)\"")
            }
            guard size > 0 else { break }
            try readBytes(size, into: &request)
            guard try readLine("the end of a chunk").isEmpty else { throw .malformed("a chunk is longer than its size, \(size)") }
        }
        // Trailer lines are discarded: no client here sends one that a test reads.
        while try !readLine("the end of the trailers").isEmpty {}
    }

    /// - Throws: ``RequestDefect/brokeOff(_:)`` if the connection ends here.
    private mutating func passHalfway() throws(RequestDefect) {
        guard let halfway else { return }
        self.halfway = nil
        guard halfway() else { throw .brokeOff("ended by a fault inside the request") }
    }

    private mutating func readBytes(_ count: Int, into request: inout ReceivedRequest) throws(RequestDefect) {
        var missing = count
        while missing > 0 {
            if missing <= count - count / 2 { try passHalfway() }
            if pending.isEmpty, !receive() {
                throw .brokeOff("ended inside the body, after \(count - missing) of \(count) bytes")
            }
            // Only as far as the middle, so that `halfway` is called there.
            let wanted = halfway == nil ? missing : max(1, missing - (count - count / 2))
            let piece = take(min(wanted, pending.count))
            request.receive(piece, keeping: bodyLimit)
            missing -= piece.count
        }
    }

    private mutating func readLine(_ what: String) throws(RequestDefect) -> String {
        let end = Data("\r\n".utf8)
        while true {
            if let range = pending.range(of: end) {
                let line = take(range.upperBound - pending.startIndex).dropLast(2)
                return String(decoding: line, as: UTF8.self)
            }
            guard pending.count <= Self.longestHead else { throw .malformed("expected \(what), got a line without an end") }
            guard receive() else { throw .brokeOff("ended before \(what)") }
        }
    }

    private mutating func receive(orUntil interruption: Latch? = nil) -> Bool {
        guard let bytes = socket.receive(orUntil: interruption) else { return false }
        // A slice keeps the bytes before it: a body that is appended and taken piece by piece would stay in memory.
        pending = pending.isEmpty ? bytes : Data(pending) + bytes
        return true
    }

    private mutating func take(_ count: Int) -> Data {
        let piece = Data(pending.prefix(count))
        pending = pending.dropFirst(count)
        return piece
    }
}
