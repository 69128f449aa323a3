import TestSupport

@testable import CoreAPIStreaming

/// The cases of the standard (WHATWG HTML §9.2.5 and §9.2.6), and of the Web Platform Tests' folder `eventsource`.
@Suite("Parsing events")
struct EventParserTests {
    typealias Event = ServerSentEvent<String>

    struct Case: Sendable, CustomTestStringConvertible {
        let testDescription: String
        let stream: String
        let events: [Event]
        let retry: Duration?
        let lastEventID: String

        init(_ name: String, _ stream: String, _ events: [Event], retry: Duration? = nil, lastEventID: String = "") {
            (testDescription, self.stream, self.events, self.retry, self.lastEventID) = (name, stream, events, retry, lastEventID)
        }
    }

    private static func event(_ data: String, id: String = "", name: String = "message") -> Event {
        Event(id: id, name: name, data: data)
    }

    static let cases: [Case] = [
        Case("nothing", "", []),
        Case("the standard's stocks", "data: YHOO\ndata: +2\ndata: 10\n\n", [event("YHOO\n+2\n10")]),
        Case(
            "the standard's four blocks",
            ": test stream\n\ndata: first event\nid: 1\n\ndata:second event\nid\n\ndata:  third event\n\n",
            [event("first event", id: "1"), event("second event"), event(" third event")]),
        Case("the standard's empty data", "data\n\ndata\ndata\n\ndata:", [event(""), event("\n")]),
        Case("one space after the colon", "data:test\n\ndata: test\n\n", [event("test"), event("test")]),
        Case("a space more is data", "data:  test\ndata: \ndata:\n\n", [event(" test\n\n")]),
        Case("a tab is data", "data:\ttest\n\n", [event("\ttest")]),
        Case("a byte order mark", "\u{FEFF}data:1\n\ndata:2\n\n", [event("1"), event("2")]),
        Case("a second byte order mark is part of a name", "\u{FEFF}\u{FEFF}data:1\n\ndata:2\n\n", [event("2")]),
        Case("a byte order mark in the middle", "data:1\n\n\u{FEFF}data:2\n\ndata:3\n\n", [event("1"), event("3")]),
        Case("a byte order mark alone in its line", "\u{FEFF}\ndata:1\n\n", [event("1")]),
        Case("CR", "data:1\r\rdata:2\r\r", [event("1"), event("2")]),
        Case("CR LF", "data:1\r\n\r\ndata:2\r\n\r\n", [event("1"), event("2")]),
        Case("all line ends mixed", "data:1\rdata:2\n\rdata:3\r\n\ndata:4\n\n", [event("1\n2"), event("3"), event("4")]),
        Case("CR LF is one line end", "data:1\r\ndata:2\r\n\n", [event("1\n2")]),
        Case("LF CR is two", "data:1\n\rdata:2\n\r", [event("1"), event("2")]),
        Case("comments", ":\n: data:1\n:\r\ndata:2\n:data:3\n\n", [event("2")]),
        Case("a long comment", "data:1\n:\(String(repeating: "x", count: 2_048))\ndata:2\n\n", [event("1\n2")]),
        Case("unknown fields", "data:test\n data\ndata\nfoobar:xxx\njustsometext\n:thisisacommentyay\n\n", [event("test\n")]),
        Case("a field's name is exact", "Data:1\ndata :2\nDATA:3\ndat:4\ndatas:5\n\ndata:6\n\n", [event("6")]),
        Case("an event's name", "event:test\ndata:x\n\ndata:y\n\n", [event("x", name: "test"), event("y")]),
        Case("an empty name is message", "event:\ndata:x\n\nevent\ndata:y\n\n", [event("x"), event("y")]),
        Case("the last name counts", "event:a\nevent: b\ndata:x\n\n", [event("x", name: "b")]),
        Case("a name without data is no event", "event:a\n\ndata:x\n\n", [event("x")]),
        Case("an id stays", "id:1\ndata:x\n\ndata:y\n\n", [event("x", id: "1"), event("y", id: "1")], lastEventID: "1"),
        Case("an empty id resets", "id:1\ndata:x\n\nid:\ndata:y\n\n", [event("x", id: "1"), event("y")]),
        Case(
            "an id with NUL is ignored", "id:1\ndata:x\n\nid:2\u{0}3\ndata:y\n\n", [event("x", id: "1"), event("y", id: "1")],
            lastEventID: "1"),
        Case("an id without data counts", "id:7\n\ndata:x\n\n", [event("x", id: "7")], lastEventID: "7"),
        Case("an id without its empty line does not", "id:1\ndata:x\n\nid:2\ndata:y\n", [event("x", id: "1")], lastEventID: "1"),
        Case("an id beyond ASCII", "id: çok…\ndata:x\n\n", [event("x", id: "çok…")], lastEventID: "çok…"),
        Case("retry", "retry:3000\ndata:x\n\n", [event("x")], retry: .seconds(3)),
        Case("retry without data", "retry: 5\n", [], retry: .milliseconds(5)),
        Case(
            "retry with anything but digits",
            "retry:1000x\nretry: -5\nretry:+5\nretry:1e3\nretry:1.5\nretry:\nretry\nretry:  5\n", []),
        Case("the last good retry counts", "retry:1\nretry:2\nretry:x\n", [], retry: .milliseconds(2)),
        Case("retry beyond any number", "retry:99999999999999999999999999\n", [], retry: .seconds(86_400)),
        Case("retry with leading zeros", "retry:000010\n", [], retry: .milliseconds(10)),
        Case("NUL in data", "data:\u{0}\n\n\n", [event("\u{0}")]),
        Case("UTF-8", "data:ok…ş🎈\n\n", [event("ok…ş🎈")]),
        Case("no line end at the end", "data:1\n\ndata:2", [event("1")]),
        Case("no empty line at the end", "data:1\n\ndata:2\n", [event("1")]),
        Case("empty lines", "\n\n\n\ndata:1\n\n\n\n\ndata:2\n\n", [event("1"), event("2")]),
        Case("colons in data", "data:a:b: c\n\n", [event("a:b: c")]),
    ]

    private func parse(_ pieces: [Data]) throws -> ([Event], EventParser) {
        var parser = EventParser(limit: 1 << 20)
        var events: [Event] = []
        for piece in pieces {
            parser.feed(piece)
            while let event = try parser.next() { events.append(event) }
        }
        return (events, parser)
    }

    @Test("the standard's cases: in one piece, cut in two at each byte, and byte by byte", arguments: cases)
    func standard(_ item: Case) throws {
        let bytes = Data(item.stream.utf8)
        let cuts = (0...bytes.count).map { [Data(bytes.prefix($0)), Data(bytes.dropFirst($0))] }
        for pieces in cuts + [bytes.map { Data([$0]) }] {
            let (events, parser) = try parse(pieces)
            #expect(events == item.events)
            #expect(parser.retry == item.retry && parser.lastEventID == item.lastEventID)
        }
    }

    @Test("bytes that are not UTF-8 become U+FFFD, as in a browser")
    func invalid() throws {
        let (events, _) = try parse([Data("data:a".utf8) + [0xFF] + Data("b\n\n".utf8)])
        #expect(events.map(\.data) == ["a\u{FFFD}b"])
    }

    @Test("an event may have as many bytes as the limit, in one line or in many, and not one more", arguments: [1, 7, 4_096])
    func limit(piece: Int) throws {
        let limit = 100
        func count(_ stream: String) throws -> Int {
            var parser = EventParser(limit: limit)
            let bytes = Data(stream.utf8)
            var found = 0
            for start in stride(from: 0, to: bytes.count, by: piece) {
                parser.feed(Data(bytes.dropFirst(start).prefix(piece)))
                while try parser.next() != nil { found += 1 }
            }
            return found
        }
        let line = String(repeating: "x", count: limit)
        #expect(try count("data: \(line)\n\n") == 1)
        #expect(try count("\u{FEFF}data: \(line)\n\ndata: \(line)\n\n") == 2)
        let lines = Array(repeating: "data: x\n", count: limit / 2).joined()
        #expect(try count(lines + "\n") == 1)
        for tooLarge in ["data: \(line)x\n\n", lines + "data: x\n\n", "foo: \(line)\(line)\n", ":\(line)\(line)"] {
            #expect(throws: StreamError.Reason.self) { try count(tooLarge) }
        }
    }
}
