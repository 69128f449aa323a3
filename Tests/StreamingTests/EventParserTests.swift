import TestSupport

@testable import CoreAPIStreaming

/// The cases of the standard (WHATWG HTML §9.2.5 and §9.2.6), and of the Web Platform Tests' folder `eventsource`.
@Suite("Parsing events")
struct EventParserTests {
    typealias Event = ServerSentEvent<String>

    struct Case: Sendable, CustomTestStringConvertible {
        let name: String
        let stream: String
        let events: [Event]
        var retry: Duration?
        var lastEventID = ""
        var testDescription: String { name }
    }

    private static func event(_ data: String, id: String = "", name: String = "message") -> Event {
        Event(id: id, name: name, data: data)
    }

    static let cases: [Case] = [
        Case(name: "nothing", stream: "", events: []),
        Case(name: "the standard's stocks", stream: "data: YHOO\ndata: +2\ndata: 10\n\n", events: [event("YHOO\n+2\n10")]),
        Case(
            name: "the standard's four blocks",
            stream: ": test stream\n\ndata: first event\nid: 1\n\ndata:second event\nid\n\ndata:  third event\n\n",
            events: [event("first event", id: "1"), event("second event"), event(" third event")]),
        Case(name: "the standard's empty data", stream: "data\n\ndata\ndata\n\ndata:", events: [event(""), event("\n")]),
        Case(name: "one space after the colon", stream: "data:test\n\ndata: test\n\n", events: [event("test"), event("test")]),
        Case(name: "a space more is data", stream: "data:  test\ndata: \ndata:\n\n", events: [event(" test\n\n")]),
        Case(name: "a tab is data", stream: "data:\ttest\n\n", events: [event("\ttest")]),
        Case(name: "a byte order mark", stream: "\u{FEFF}data:1\n\ndata:2\n\n", events: [event("1"), event("2")]),
        Case(
            name: "a second byte order mark is part of a name", stream: "\u{FEFF}\u{FEFF}data:1\n\ndata:2\n\n",
            events: [event("2")]),
        Case(
            name: "a byte order mark in the middle", stream: "data:1\n\n\u{FEFF}data:2\n\ndata:3\n\n",
            events: [event("1"), event("3")]),
        Case(name: "a byte order mark alone in its line", stream: "\u{FEFF}\ndata:1\n\n", events: [event("1")]),
        Case(name: "CR", stream: "data:1\r\rdata:2\r\r", events: [event("1"), event("2")]),
        Case(name: "CR LF", stream: "data:1\r\n\r\ndata:2\r\n\r\n", events: [event("1"), event("2")]),
        Case(
            name: "all line ends mixed", stream: "data:1\rdata:2\n\rdata:3\r\n\ndata:4\n\n",
            events: [event("1\n2"), event("3"), event("4")]),
        Case(name: "CR LF is one line end", stream: "data:1\r\ndata:2\r\n\n", events: [event("1\n2")]),
        Case(name: "LF CR is two", stream: "data:1\n\rdata:2\n\r", events: [event("1"), event("2")]),
        Case(name: "comments", stream: ":\n: data:1\n:\r\ndata:2\n:data:3\n\n", events: [event("2")]),
        Case(
            name: "a long comment", stream: "data:1\n:\(String(repeating: "x", count: 2_048))\ndata:2\n\n",
            events: [event("1\n2")]),
        Case(
            name: "unknown fields", stream: "data:test\n data\ndata\nfoobar:xxx\njustsometext\n:thisisacommentyay\n\n",
            events: [event("test\n")]),
        Case(
            name: "a field's name is exact", stream: "Data:1\ndata :2\nDATA:3\ndat:4\ndatas:5\n\ndata:6\n\n", events: [event("6")]
        ),
        Case(
            name: "an event's name", stream: "event:test\ndata:x\n\ndata:y\n\n", events: [event("x", name: "test"), event("y")]),
        Case(name: "an empty name is message", stream: "event:\ndata:x\n\nevent\ndata:y\n\n", events: [event("x"), event("y")]),
        Case(name: "the last name counts", stream: "event:a\nevent: b\ndata:x\n\n", events: [event("x", name: "b")]),
        Case(name: "a name without data is no event", stream: "event:a\n\ndata:x\n\n", events: [event("x")]),
        Case(
            name: "an id stays", stream: "id:1\ndata:x\n\ndata:y\n\n", events: [event("x", id: "1"), event("y", id: "1")],
            lastEventID: "1"),
        Case(name: "an empty id resets", stream: "id:1\ndata:x\n\nid:\ndata:y\n\n", events: [event("x", id: "1"), event("y")]),
        Case(
            name: "an id with NUL is ignored", stream: "id:1\ndata:x\n\nid:2\u{0}3\ndata:y\n\n",
            events: [event("x", id: "1"), event("y", id: "1")], lastEventID: "1"),
        Case(name: "an id without data counts", stream: "id:7\n\ndata:x\n\n", events: [event("x", id: "7")], lastEventID: "7"),
        Case(
            name: "an id without its empty line does not", stream: "id:1\ndata:x\n\nid:2\ndata:y\n",
            events: [event("x", id: "1")], lastEventID: "1"),
        Case(name: "an id beyond ASCII", stream: "id: çok…\ndata:x\n\n", events: [event("x", id: "çok…")], lastEventID: "çok…"),
        Case(name: "retry", stream: "retry:3000\ndata:x\n\n", events: [event("x")], retry: .seconds(3)),
        Case(name: "retry without data", stream: "retry: 5\n", events: [], retry: .milliseconds(5)),
        Case(
            name: "retry with anything but digits",
            stream: "retry:1000x\nretry: -5\nretry:+5\nretry:1e3\nretry:1.5\nretry:\nretry\nretry:  5\n", events: []),
        Case(name: "the last good retry counts", stream: "retry:1\nretry:2\nretry:x\n", events: [], retry: .milliseconds(2)),
        Case(name: "retry beyond any number", stream: "retry:99999999999999999999999999\n", events: [], retry: .seconds(86_400)),
        Case(name: "retry with leading zeros", stream: "retry:000010\n", events: [], retry: .milliseconds(10)),
        Case(name: "NUL in data", stream: "data:\u{0}\n\n\n", events: [event("\u{0}")]),
        Case(name: "UTF-8", stream: "data:ok…ş🎈\n\n", events: [event("ok…ş🎈")]),
        Case(name: "no line end at the end", stream: "data:1\n\ndata:2", events: [event("1")]),
        Case(name: "no empty line at the end", stream: "data:1\n\ndata:2\n", events: [event("1")]),
        Case(name: "empty lines", stream: "\n\n\n\ndata:1\n\n\n\n\ndata:2\n\n", events: [event("1"), event("2")]),
        Case(name: "colons in data", stream: "data:a:b: c\n\n", events: [event("a:b: c")]),
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
            #expect(parser.retry == item.retry)
            #expect(parser.lastEventID == item.lastEventID)
        }
    }

    @Test("bytes that are not UTF-8 become U+FFFD, as in a browser")
    func invalid() throws {
        let (events, _) = try parse([Data("data:a".utf8) + [0xFF] + Data("b\n\n".utf8)])
        #expect(events.map(\.data) == ["a\u{FFFD}b"])
    }

    @Test("an id is kept if a new connection sends no id")
    func nextConnection() throws {
        var parser = EventParser(lastEventID: "9", limit: 100)
        parser.feed(Data("data:x\n\n".utf8))
        #expect(try parser.next()?.id == "9")
        #expect(parser.lastEventID == "9")
    }

    @Test("a limit of `.max` is none")
    func withoutLimit() throws {
        var parser = EventParser(limit: .max)
        parser.feed(Data("data: 1\n\n".utf8))
        #expect(try parser.next()?.data == "1")
    }

    @Test(
        "an event may have as many bytes as the limit says, in one line or in many, and not one more", arguments: [1, 7, 4_096])
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

    @Test("a line without an end is rejected before the parser keeps more than the limit")
    func endless() throws {
        var parser = EventParser(limit: 1 << 20)
        let piece = Data(repeating: 0x61, count: 1 << 16)
        var fed = 0
        #expect(throws: StreamError.Reason.self) {
            while fed < 100 << 20 {
                parser.feed(piece)
                fed += piece.count
                _ = try parser.next()
            }
        }
        #expect(fed <= (1 << 20) + 2 * piece.count)
    }
}
