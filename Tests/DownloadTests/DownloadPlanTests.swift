import TestSupport

@testable import CoreAPITransfers

@Suite("A download's plan")
struct DownloadPlanTests {
    private typealias Facts = DownloadPlan.Facts

    private func answer(
        _ status: Int, _ fields: HTTPFields = [:], length: Int64? = nil, failure: Facts.Failure? = nil
    ) -> Facts {
        Facts(head: ResponseHead(status: .init(code: status), headers: fields), length: length, resource: "a", failure: failure)
    }

    /// A plan that has 40 of 100 bytes with the tag "1".
    private func continued(parts: Int = 1, length: Int64 = 100) -> DownloadPlan {
        var plan = DownloadPlan(.init())
        let whole = answer(200, [.eTag: #""1""#, .acceptRanges: "bytes"], length: length)
        #expect(plan.read(whole, for: nil) == .begin)
        #expect(plan.begin(whole, parts: parts) == nil)
        plan.append(0, to: 40)
        return plan
    }

    @Test("asks for all bytes first, then for the rest of each segment")
    func fields() {
        #expect(DownloadPlan(.init()).fields(for: nil) == ["Accept-Encoding": "identity"])
        #expect(DownloadPlan(.init { $0.decodes = true }).fields(for: nil).isEmpty)
        #expect(continued().fields(for: 0) == ["Accept-Encoding": "identity", "Range": "bytes=40-", "If-Range": "\"1\""])
        let parted = continued(parts: 2, length: 200_000)
        #expect(parted.segments.map(\.start) == [0, 100_000] && parted.open == [0, 1])
        #expect(parted.fields(for: 0)["Range"] == "bytes=40-99999")
        #expect(parted.fields(for: 1)["Range"] == "bytes=100000-")
    }

    @Test("an answer about another file ends ranges when it comes again, and at once if it is one of several")
    func contradictions() {
        for (other, decision) in [
            (answer(206, [.eTag: "\"2\"", .contentRange: "bytes 40-99/100"], length: 60), Self.otherFile),
            (answer(416, [.contentRange: "bytes */30"], failure: .other), .askForAll(.itsError)),
        ] {
            var plan = continued()
            for isSecond in [false, true] {
                #expect(plan.read(other, for: 0) == decision && plan.mayContinue == !isSecond)
                #expect(plan.restart(atMost: 9) == true)
                #expect(plan.begin(answer(200, [.eTag: "\"1\""], length: 100), parts: 1) == nil)
                plan.append(0, to: 40)
            }
            // A part that connects again is another moment, at which the file may have changed.
            var parted = continued(parts: 2, length: 200_000)
            #expect(parted.read(other, for: 0) == decision && parted.mayContinue)
        }
        for other in [
            answer(206, [.eTag: #""2""#, .contentRange: "bytes 100000-199999/200000"], length: 100_000),
            answer(416, [.contentRange: "bytes */30"], failure: .other),
        ] {
            var parted = continued(parts: 2, length: 200_000)
            _ = parted.read(other, for: 1)
            #expect(!parted.mayContinue)
        }
    }

    @Test("the first response has all bytes, or the download fails")
    func first() {
        var plan = DownloadPlan(.init { $0.sizeLimit = 50 })
        #expect(plan.read(answer(200), for: nil) == .begin && plan.read(answer(203), for: nil) == .begin)
        #expect(plan.read(Facts(), for: nil) == .fail(.malformed("no head")))
        #expect(plan.read(answer(204), for: nil) == .fail(.unexpectedStatus(204)))
        #expect(
            plan.read(answer(206), for: nil) == .fail(.malformed("expected 200 without Range, found 206 (RFC 9110 §15.3.7)")))
        #expect(plan.read(answer(404, failure: .other), for: nil) == .fail(.itsError))
        #expect(plan.begin(answer(200, length: 51), parts: 1) == .tooLarge(limit: 50))
        let twoLengths = plan.begin(answer(200, [.contentLength: "7"], length: 8), parts: 1)
        #expect(twoLengths == .malformed("expected a body of 7 bytes by Content-Length, found 8"))
        #expect(plan.representation == nil && plan.segments.isEmpty)
    }

    /// Responses to a request for the bytes from 40 to 100 of the file "1": status, fields, length of the body, what failed, and
    /// the decision. `true` if ranges are asked for afterwards.
    private static let responses: [(Int, [String: String], Int64?, Facts.Failure?, DownloadPlan.Decision, Bool)] = [
        (206, ["ETag": #""1""#, "Content-Range": "bytes 40-99/100"], 60, nil, .append(end: 100), true),
        (206, ["ETag": #""1""#, "Content-Range": "bytes 40-59/100"], 20, nil, .append(end: 60), true),
        (206, ["ETag": #""1""#, "Content-Range": "bytes 40-99/*"], nil, nil, .append(end: 100), true),
        (206, ["ETag": #""1""#, "Content-Range": "bytes 0-99/100"], 100, nil, another, false),
        (206, ["ETag": #""1""#, "Content-Range": "bytes 40-100/101"], 61, nil, another, false),
        (206, ["ETag": #""1""#, "Content-Range": "bytes 40-99/100"], 59, nil, another, false),
        (206, ["ETag": #""1""#], 60, nil, another, false),
        (206, ["ETag": #""1""#, "Content-Range": "bytes 40-99/100", "Content-Type": multipart], 60, nil, another, false),
        (206, ["ETag": #""2""#, "Content-Range": "bytes 40-99/100"], 60, nil, otherFile, true),
        (206, ["ETag": #""1""#, "Content-Range": "bytes 40-99/120"], 60, nil, otherFile, true),
        (206, ["ETag": #""1""#, "Content-Range": "bytes 40-99/100", "Content-Encoding": "gzip"], 60, nil, otherFile, true),
        // A server that names no validator can never be checked.
        (206, ["Content-Range": "bytes 40-99/100"], 60, nil, otherFile, false),
        (200, ["ETag": #""2""#], 70, nil, .begin, true),
        (200, ["ETag": #""1""#], 100, nil, .begin, true),
        (200, ["ETag": #""1""#], 60, nil, otherBytes, false),
        (206, [:], nil, .transport, .askForAll(.itsError), false),
        (206, [:], nil, .other, .fail(.itsError), true),
        (416, ["Content-Range": "bytes */100"], nil, .other, .askForAll(.itsError), false),
        (416, ["Content-Range": "bytes */30"], nil, .other, .askForAll(.itsError), true),
        (503, [:], nil, .other, .fail(.itsError), true),
        (201, [:], 60, nil, .fail(.unexpectedStatus(201)), true),
    ]

    private static let multipart = "multipart/byteranges"
    private static let another = askForAll("expected the bytes from 40, found another part")
    private static let otherFile = askForAll("expected the rest of the file, found another file")
    private static let otherBytes = askForAll("expected a 206, or 200 with the whole file, found a 200 with other bytes")

    private static func askForAll(_ reason: String) -> DownloadPlan.Decision { .askForAll(.malformed(reason)) }

    @Test("a response to a request for the rest", arguments: responses.indices)
    func rest(index: Int) throws {
        let (status, fields, length, failure, decision, asksForRanges) = Self.responses[index]
        var plan = continued()
        let found = plan.read(answer(status, try Headers(fields).fields(), length: length, failure: failure), for: 0)
        #expect(found == decision)
        #expect(plan.mayContinue == asksForRanges && plan.segments[0].done == 40)
    }

    @Test("decoded bytes are no part, and end the use of ranges")
    func decoded() {
        var (plan, facts) = (continued(), answer(206, [.eTag: #""1""#]))
        facts.isDecoded = true
        #expect(plan.read(facts, for: 0) == Self.askForAll("expected the stored bytes from 40, found decoded ones"))
        #expect(!plan.mayContinue)
    }

    @Test("a complete file of an earlier run asks for its last byte again")
    func lastByte() throws {
        var complete = continued()
        complete.append(0, to: 100)
        var plan = DownloadPlan(.init())
        plan.load(try #require(complete.sidecar))
        #expect(plan.fields(for: 0)["Range"] == "bytes=99-")
    }
}
