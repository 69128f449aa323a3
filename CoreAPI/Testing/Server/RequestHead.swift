import Foundation

/// A request's head, parsed strictly, so that a test notices a client that violates RFC 9112.
struct RequestHead {
    /// How the body is delimited.
    enum Framing: Equatable {
        case none
        case length(Int)
        case chunked
    }

    let method: String
    let target: String
    let version: String
    let headers: HeaderLines
    let framing: Framing

    /// - Parameter bytes: Everything from the request line to the empty line, both included.
    init(_ bytes: Data) throws(RequestDefect) {
        let text = String(decoding: bytes, as: UTF8.self)
        var lines = text.components(separatedBy: "\r\n").dropLast(2)
        let requestLine = lines.popFirst() ?? ""
        let parts = requestLine.split(separator: " ", omittingEmptySubsequences: false)
        guard parts.count == 3, !parts[0].isEmpty, !parts[1].isEmpty, parts[2].hasPrefix("HTTP/1.") else {
            throw .malformed("expected a request line \"METHOD TARGET HTTP/1.x\", got \"\(requestLine)\"")
        }
        method = String(parts[0])
        target = String(parts[1])
        version = String(parts[2])

        var headers = HeaderLines()
        for line in lines {
            guard !line.unicodeScalars.contains(where: { $0 == "\r" || $0 == "\n" || $0 == "\0" }) else {
                throw .malformed("a line break or a NUL inside a header line: \(line.debugDescription)")
            }
            guard let colon = line.firstIndex(of: ":"), colon != line.startIndex, !line[..<colon].contains(" ") else {
                throw .malformed("expected a header line \"Name: value\", got \"\(line)\"")
            }
            let value = line[line.index(after: colon)...].trimmingCharacters(in: .whitespaces)
            headers.append(String(line[..<colon]), value)
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
    var expectsContinue: Bool {
        headers["Expect"]?.lowercased() == "100-continue"
    }

    private static func framing(_ headers: HeaderLines) throws(RequestDefect) -> Framing {
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
        return .length(length)
    }
}

/// Why a request could not be read completely.
enum RequestDefect: Error {
    /// The bytes are not HTTP/1.1; the connection is answered with a 400 and closed.
    case malformed(String)
    /// The client left, or the server is closing, before the request was complete.
    case brokeOff(String)
}
