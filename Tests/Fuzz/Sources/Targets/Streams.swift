import CoreAPI
import Foundation

@testable import CoreAPICore
@testable import CoreAPIHTTP
@testable import CoreAPIStreaming

extension FuzzTarget {
    /// Lines and JSON texts.
    static let lines = FuzzTarget(name: "lines") { input in
        let (size, choice) = (Int(input.byte()) + 1, input.byte())
        let separator: UInt8 = choice % 2 == 0 ? 0x0A : 0x1E
        let limit = Int(choice)
        let whole = input.whole(cutEvery: size) { lines(of: $0, LineParser(separator: separator, limit: limit)) }
        expect(whole.found.allSatisfy { $0.count <= limit && !$0.contains(separator) }, "a line is within its limit")
        expect(whole.found.reduce(0) { $0 + $1.count } <= input.bytes.count, "no more comes out than went in")
        let texts = input.whole(cutEvery: size) {
            lines(of: $0, LineParser(jsonLimit: limit, spansLines: choice % 2 == 0))
        }
        expect(texts.found.allSatisfy { $0.count <= limit }, "a text is within its limit")
    }

    private struct Lines: Equatable {
        var found: [Data] = []
        var isRejected = false
    }

    private static func lines(of pieces: [[UInt8]], _ parser: LineParser) -> Lines {
        var parser = parser
        var lines = Lines()
        do {
            for piece in pieces {
                parser.feed(Data(piece))
                while let line = try parser.next() { lines.found.append(Data(line)) }
            }
            if let last = try parser.finish() { lines.found.append(Data(last)) }
        } catch { lines.isRejected = true }
        return lines
    }

    /// An event stream.
    static let events = FuzzTarget(name: "events") { input in
        let (size, limit) = (Int(input.byte()) + 1, Int(input.byte()))
        let whole = input.whole(cutEvery: size) { events(of: $0, limit) }
        for event in whole.found {
            // An invalid byte becomes three, and a decoder may see some only as one.
            expect(event.data.utf8.count <= 3 * limit, "an event is within its limit")
            expect(!event.name.isEmpty && !event.name.contains("\n") && !event.id.contains("\u{0}"), "name and id are one line")
        }
    }

    private struct Events: Equatable {
        var found: [ServerSentEvent<String>] = []
        var retry: Duration?
        var lastEventID = ""
        var isRejected = false
    }

    private static func events(of pieces: [[UInt8]], _ limit: Int) -> Events {
        var parser = EventParser(limit: limit)
        var events = Events()
        do {
            for piece in pieces {
                parser.feed(Data(piece))
                while let event = try parser.next() { events.found.append(event) }
            }
        } catch { events.isRejected = true }
        (events.retry, events.lastEventID) = (parser.retry, parser.lastEventID)
        return events
    }

    /// A multipart body with the boundary "b".
    static let multipart = FuzzTarget(name: "multipart") { input in
        let size = Int(input.byte()) + 1
        let whole = input.whole(cutEvery: size, parts)
        expect(whole.contents.reduce(0) { $0 + $1.count } <= input.bytes.count, "no more comes out than went in")
        expect(whole.heads.count <= 8 && whole.ends <= whole.heads.count, "parts are within their limit")
        for head in whole.heads { checkNames(of: head) }
        guard whole.isComplete else { return }
        expect(whole.ends == whole.heads.count, "every part of a whole body has an end")
    }

    /// A name can be written in the extended form (RFC 8187), and read again.
    private static func checkNames(of head: HTTPFields) {
        let part = Body.Part(headers: head, body: .none)
        for name in [part.name, part.fileName].compactMap(\.self) {
            // A byte of ISO 8859-1 becomes two, and an invalid one of a plain name three.
            expect(name.utf8.count <= 3 * (head[.contentDisposition]?.utf8.count ?? 0), "no more comes out than went in")
            let text = "form-data; filename=plain; filename*=UTF-8''\(PercentEncoding.component(name))"
            let again = Body.Part(headers: [.contentDisposition: text], body: .none)
            expect(again.fileName == name, "written and read again: \(text), \(again.fileName ?? "nil")")
        }
    }

    fileprivate struct Parts: Equatable {
        var heads: [HTTPFields] = []
        var contents: [Data] = []
        var ends = 0
        var isComplete = false
    }

    private static func parts(of pieces: [[UInt8]]) -> Parts {
        var parts = Parts()
        do {
            var parser = try MultipartParser(boundary: "b", limits: Body.PartLimits(headSize: 128, parts: 8))
            for piece in pieces {
                parser.feed(Data(piece))
                while let item = try parser.next() { parts.take(item) }
            }
            guard !parser.isComplete else {
                parts.isComplete = true
                return parts
            }
            parser.finish()
            while let item = try parser.next() { parts.take(item) }
            parts.isComplete = parser.isComplete
        } catch {
            // What an incomplete part gave before it was rejected depends on the cuts.
            if parts.contents.count > parts.ends { parts.contents.removeLast() }
            if parts.heads.count > parts.ends { parts.heads.removeLast() }
        }
        return parts
    }
}

extension FuzzTarget.Parts {
    fileprivate mutating func take(_ item: MultipartParser.Item) {
        switch item {
        case .head(let fields):
            heads.append(fields)
            contents.append(Data())
        case .content(let data): contents[contents.count - 1] += data
        case .end: ends += 1
        }
    }
}
