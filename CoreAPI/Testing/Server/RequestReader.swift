import Foundation

struct UnreadableRequest: Error {
    let reason: String
    let isMalformed: Bool

    /// The bytes are not HTTP/1.1; the connection gets a 400 and is closed.
    static func malformed(_ reason: String) -> Self { Self(reason: reason, isMalformed: true) }
    /// The client left, or the server is closing, before the request was complete.
    static func brokeOff(_ reason: String) -> Self { Self(reason: reason, isMalformed: false) }
}

/// A request's head, parsed strictly, so that a test notices a client that violates RFC 9112.
struct RequestHead {
    enum Framing: Equatable { case none, length(Int), chunked }

    let method: String
    let target: String
    let headers: HeaderLines
    let framing: Framing
    private let version: String

    /// - Parameter bytes: everything from the request line to the empty line, both included.
    init(_ bytes: Data) throws(UnreadableRequest) {
        var lines = String(decoding: bytes, as: UTF8.self).components(separatedBy: "\r\n").dropLast(2)
        let requestLine = lines.popFirst() ?? ""
        let parts = requestLine.split(separator: " ", omittingEmptySubsequences: false).map(String.init)
        guard parts.count == 3, !parts[0].isEmpty, !parts[1].isEmpty, parts[2].hasPrefix("HTTP/1.") else {
            throw .malformed("expected a request line \"METHOD TARGET HTTP/1.x\", got \"\(requestLine)\"")
        }
        (method, target, version) = (parts[0], parts[1], parts[2])
        var headers = HeaderLines()
        for line in lines {
            guard !line.unicodeScalars.contains(where: { $0 == "\r" || $0 == "\n" || $0 == "\0" }) else {
                throw .malformed("a line break or a NUL inside a header line: \(line.debugDescription)")
            }
            guard let colon = line.firstIndex(of: ":"), colon != line.startIndex, !line[..<colon].contains(" ") else {
                throw .malformed("expected a header line \"Name: value\", got \"\(line)\"")
            }
            headers.append(String(line[..<colon]), line[line.index(after: colon)...].trimmingCharacters(in: .whitespaces))
        }
        self.headers = headers
        framing = try Self.framing(headers)
    }

    /// Whether the client will not use the connection after this exchange (RFC 9112 section 9.3).
    var asksToClose: Bool {
        let options = headers.all("Connection").joined(separator: ",").lowercased()
        return options.contains("close") || (version == "HTTP/1.0" && !options.contains("keep-alive"))
    }

    /// Whether the client holds the body back until it receives a 100 (RFC 9110 section 10.1.1).
    var expectsContinue: Bool { headers["Expect"]?.lowercased() == "100-continue" }

    private static func framing(_ headers: HeaderLines) throws(UnreadableRequest) -> Framing {
        let lengths = headers.all("Content-Length")
        if let encoding = headers["Transfer-Encoding"] {
            guard encoding.lowercased() == "chunked", lengths.isEmpty else {
                throw .malformed("expected Transfer-Encoding: chunked alone, got \"\(encoding)\" and lengths \(lengths)")
            }
            return .chunked
        }
        guard let first = lengths.first else { return .none }
        guard lengths.count == 1, first.allSatisfy(\.isNumber), let length = Int(first) else {
            throw .malformed("expected one Content-Length in digits, got \(lengths)")
        }
        return length == 0 ? .none : .length(length)
    }
}

/// Reads one request after another from a connection. Bytes that arrive early (pipelining) wait here.
struct RequestReader {
    /// A megabyte: far more than a client sends by design, and a limit for a head that never ends.
    private static let longestHead = 1 << 20

    let socket: ConnectionSocket
    let connection: Int
    /// How many bytes of a body are kept.
    let bodyLimit: Int

    private(set) var exchange = 0
    private(set) var pending = Data()
    /// Called once per request, after half of its body; `false` ends the connection.
    private(set) var halfway: (() -> Bool)?

    enum Reading {
        case whole(ReceivedRequest, RequestHead)
        /// A request with an error. A malformed one gets a 400; after the others the client is gone.
        case unreadable(ReceivedRequest, isMalformed: Bool)
        /// The client closed between two requests, or the server is closing.
        case ended
    }

    /// Blocks until a request begins. False if the client has closed, the server is closing or the latch opens.
    mutating func begin(orUntil interruption: Latch? = nil) -> Bool { !pending.isEmpty || receive(orUntil: interruption) }

    /// Whether an HTTP/2 connection begins, whose client knew beforehand (RFC 9113 §3.3).
    var isHTTP2: Bool { exchange == 0 && pending.starts(with: Data("PRI * HTTP/2".utf8)) }

    mutating func takePending() -> Data { take(pending.count) }

    /// Reads the next request completely, and calls `halfway` after half of its body, right after the head if there is none.
    mutating func next(fault: Fault?, halfway: @escaping () -> Bool) -> Reading {
        var request = ReceivedRequest(
            connection: connection, exchange: exchange, version: "HTTP/1.1", security: socket.security, fault: fault)
        self.halfway = halfway
        exchange += 1
        guard begin() else { return .ended }
        do throws(UnreadableRequest) {
            let head = try readHead(into: &request)
            try readBody(head, into: &request)
            try passHalfway()
            return .whole(request, head)
        } catch {
            request.error = error.reason
            return .unreadable(request, isMalformed: error.isMalformed)
        }
    }

    private mutating func readHead(into request: inout ReceivedRequest) throws(UnreadableRequest) -> RequestHead {
        while true {
            request.rawHead = pending
            if let bytes = take(through: "\r\n\r\n") {
                request.rawHead = bytes
                let head = try RequestHead(bytes)
                (request.method, request.target, request.headers) = (head.method, head.target, head.headers)
                return head
            }
            guard pending.count <= Self.longestHead else { throw .malformed("the head has no end after \(pending.count) bytes") }
            guard receive() else { throw .brokeOff("ended inside the head, after \(pending.count) bytes") }
        }
    }

    private mutating func readBody(_ head: RequestHead, into request: inout ReceivedRequest) throws(UnreadableRequest) {
        if head.framing != .none, head.expectsContinue, pending.isEmpty {
            socket.send(Data("HTTP/1.1 100 Continue\r\n\r\n".utf8))
        }
        switch head.framing {
        case .none: break
        case .length(let length): try readBytes(length, into: &request)
        case .chunked: try readChunks(into: &request)
        }
    }

    private mutating func readChunks(into request: inout ReceivedRequest) throws(UnreadableRequest) {
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

    private mutating func passHalfway() throws(UnreadableRequest) {
        guard let halfway else { return }
        self.halfway = nil
        guard halfway() else { throw .brokeOff("ended by a fault inside the request") }
    }

    private mutating func readBytes(_ count: Int, into request: inout ReceivedRequest) throws(UnreadableRequest) {
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

    private mutating func readLine(_ what: String) throws(UnreadableRequest) -> String {
        while true {
            if let line = take(through: "\r\n") { return String(decoding: line.dropLast(2), as: UTF8.self) }
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

    /// Takes the bytes up to the end of this text; nil if it is not there yet.
    private mutating func take(through end: String) -> Data? {
        pending.range(of: Data(end.utf8)).map { take($0.upperBound - pending.startIndex) }
    }

    private mutating func take(_ count: Int) -> Data {
        let piece = Data(pending.prefix(count))
        pending = pending.dropFirst(count)
        return piece
    }
}
