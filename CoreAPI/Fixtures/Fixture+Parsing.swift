public import CoreAPICore
internal import CoreAPIHTTP
internal import Foundation
internal import HTTPTypes

extension Fixture {
    /// Reads a fixture file: plain text, written and edited manually.
    ///
    /// ```
    /// GET orders?page=1
    /// 200
    /// content-type: application/json
    /// @delay 50ms
    ///
    /// {"orders": []}
    /// ```
    ///
    /// First the request. Then the status, or `@failure` and one of `timeout`, `connection-lost`, `cannot-connect`,
    /// `host-not-found`, `truncated`. Then headers and directives, and after an empty line the body. `@delay` takes `ms` or `s`,
    /// `@body` the name of a file beside this one. With `@stream` the body arrives line by line, with `@stream 50ms` with that
    /// pause between the lines. Lines that begin with `#` before the body are comments.
    ///
    /// - Throws: ``FixtureError/unreadable(file:line:reason:)``.
    public init(parsing text: String, file: String) throws(FixtureError) {
        let text = text.hasPrefix("\u{FEFF}") ? String(text.dropFirst()) : text
        let lines = text.replacing("\r\n", with: "\n").split(separator: "\n", omittingEmptySubsequences: false)
        var reader = FixtureReader(file: file)
        var bodyStart = lines.count
        for (index, line) in lines.enumerated() {
            reader.line = index + 1
            if line.hasPrefix("#") { continue }
            if line.allSatisfy(\.isWhitespace) {
                // Empty lines above the request line are ignored; the first one below it begins the body.
                guard reader.fixture != nil else { continue }
                bodyStart = index + 1
                break
            }
            try reader.read(line)
        }
        self = try reader.finished()
        if let name = reader.bodyFile {
            guard !name.utf8.contains(UInt8(ascii: "/")) else {
                throw reader.unreadable("expected the name of a file beside this one, got '\(name)'")
            }
            let path = URL(fileURLWithPath: file).deletingLastPathComponent().appendingPathComponent(name).path
            guard let data = FileManager.default.contents(atPath: path) else {
                throw reader.unreadable("the body file '\(name)' is missing")
            }
            body = data
        } else {
            let text = lines[min(bodyStart, lines.count)...].joined(separator: "\n")
            // Editors end a file with a newline that is not part of the body. In a stream it may be the end of an event.
            body = Data((reader.pauses == nil && text.hasSuffix("\n") ? String(text.dropLast()) : text).utf8)
        }
        if let pause = reader.pauses { stream = body.lines(pausing: pause) }
    }

    /// The fixtures in the subfolder of that name.
    package static func scenario(_ name: String, in directory: String) throws(FixtureError) -> [Fixture] {
        let folders = ((try? FileManager.default.contentsOfDirectory(atPath: directory)) ?? []).sorted()
        // A name, not a path: a scenario never leads out of its folder.
        guard folders.contains(name) else { throw .notFound(name: name, searched: [directory], available: folders) }
        return try all(in: "\(directory)/\(name)")
    }

    /// Every `.http` file of a folder, by name. A folder without one is an error; other files are ignored.
    static func all(in directory: String) throws(FixtureError) -> [Fixture] {
        guard let names = try? FileManager.default.contentsOfDirectory(atPath: directory) else {
            throw .notFound(name: directory, searched: [directory], available: [])
        }
        let files = names.sorted().filter { $0.hasSuffix(".http") }
        guard !files.isEmpty else { throw .notFound(name: "*.http", searched: [directory], available: names.sorted()) }
        return try files.map { name throws(FixtureError) in
            let file = "\(directory)/\(name)"
            guard let data = FileManager.default.contents(atPath: file), let text = String(validating: data, as: UTF8.self) else {
                throw .unreadable(file: file, line: 1, reason: "expected UTF-8 text")
            }
            return try Fixture(parsing: text, file: file)
        }
    }
}

/// Collects the lines above the body.
private struct FixtureReader {
    let file: String
    var line = 1
    /// Made by the request line, with no status yet.
    var fixture: Fixture?
    var bodyFile: String?
    /// Between the lines of a streamed body; `nil` for a body as a whole.
    var pauses: Duration?

    func unreadable(_ reason: String) -> FixtureError { .unreadable(file: file, line: line, reason: reason) }

    mutating func read(_ text: Substring) throws(FixtureError) {
        guard let fixture else { return try readRequest(text) }
        if text.hasPrefix("@") { return try readDirective(text.dropFirst()) }
        if let code = Int(text.trimmingHTTPWhitespace()) {
            guard fixture.status == 0 else { throw unreadable("a second status") }
            guard (100...999).contains(code) else { throw unreadable("the status \(code) does not have three digits") }
            self.fixture?.status = code
            return
        }
        // Octets, because a colon before a combining mark is another character to Swift.
        let pair = text.utf8.split(separator: UInt8(ascii: ":"), maxSplits: 1, omittingEmptySubsequences: false)
        guard pair.count == 2 else { throw unreadable("expected a status, 'name: value' or '@directive', got '\(text)'") }
        do throws(RequestError) {
            let field = try HTTPField(checking: String(Substring(pair[0])), value: String(Substring(pair[1])))
            self.fixture?.headers.append(field.name.rawName, field.value)
        } catch {
            throw unreadable(error.readableDescription)
        }
    }

    private mutating func readRequest(_ text: Substring) throws(FixtureError) {
        let words = text.utf8.split(separator: UInt8(ascii: " ")).map { Substring($0) }
        guard words.count == 2, let method = HTTPRequest.Method(rawValue: String(words[0])) else {
            throw unreadable("expected a method and a path, such as 'GET orders?page=1', got '\(text)'")
        }
        fixture = Fixture(method, String(words[1]), status: 0)
    }

    private mutating func readDirective(_ text: Substring) throws(FixtureError) {
        let words = text.split(separator: " ", maxSplits: 1)
        let value = words.count == 2 ? words[1].trimmingHTTPWhitespace() : ""
        switch words.first {
        case "delay":
            let delay = try duration(value, "delay")
            fixture?.delay = delay
        case "stream": pauses = value.isEmpty ? .zero : try duration(value, "pause")
        case "failure":
            fixture?.failure = Self.failures[value]
            let known = Self.failures.keys.sorted().joined(separator: ", ")
            if fixture?.failure == nil { throw unreadable("unknown failure '\(value)'; expected one of \(known)") }
        case "body": bodyFile = value
        default: throw unreadable("unknown directive '@\(words.first ?? "")'; expected @delay, @failure, @stream or @body")
        }
    }

    private func duration(_ value: String, _ name: String) throws(FixtureError) -> Duration {
        let number = value.prefix { $0.isNumber || $0 == "." }
        let isTime = ["s", "ms"].contains(value.dropFirst(number.count))
        guard isTime, let amount = Double(number), amount.isFinite, amount <= 86_400_000 else {
            throw unreadable("expected a \(name) such as '50ms' or '2s', got '\(value)'")
        }
        return value.hasSuffix("ms") ? .seconds(amount / 1_000) : .seconds(amount)
    }

    private static let failures: [String: TransportError] = [
        "timeout": .timedOut(.total, after: Timeout().total),
        "connection-lost": .connectionLost(reason: "as the fixture says", mayHaveBeenProcessed: true),
        "cannot-connect": .cannotConnect(host: "fixture", reason: "as the fixture says"),
        "host-not-found": .cannotResolveHost("fixture"),
        "truncated": .truncated(received: 0, expected: nil),
    ]

    func finished() throws(FixtureError) -> Fixture {
        guard let fixture else { throw unreadable("the file is empty; expected a request line such as 'GET orders'") }
        if fixture.status == 0, fixture.failure == nil { throw unreadable("expected a status such as 200, or @failure") }
        return fixture
    }
}

extension Data {
    /// The lines, each with its end.
    fileprivate func lines(pausing pause: Duration) -> [Fixture.Piece] {
        var pieces: [Fixture.Piece] = []
        var rest = self[...]
        while !rest.isEmpty {
            let end = rest.firstIndex(of: UInt8(ascii: "\n")).map { $0 + 1 } ?? rest.endIndex
            if !pieces.isEmpty, pause > .zero { pieces.append(.pause(pause)) }
            pieces.append(.bytes(Data(rest[..<end])))
            rest = rest[end...]
        }
        return pieces
    }
}
