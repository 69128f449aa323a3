import TestSupport

@testable import CoreAPIStreaming

/// Answers with a status of success whose body is not what the stream's reader expects, such as a server's error in JSON.
@Suite("Streams that get another response than they expect", .closing, .timeLimit(.minutes(1)))
struct WrongAnswerTests {
    struct Value: Decodable, Sendable, Equatable { let id: Int }

    struct Rejection: Error, Decodable, Equatable {
        struct Reason: Decodable, Equatable { let message: String }
        let error: Reason
    }

    private static let quota = Rejection(error: Rejection.Reason(message: "quota"))
    private static let compact = #"{"error":{"message":"quota"}}"#
    private static let pretty = "{\n  \"error\": {\n    \"message\": \"quota\"\n  }\n}\n"

    enum Door: String, CaseIterable, Sendable {
        case events, typedEvents, parts, jsonLines, jsonSequence
    }

    private func read(_ door: Door, _ manager: some Dispatcher, _ path: String = "x") async throws -> Int {
        let options = EventOptions(reconnections: 0)
        return switch door {
        case .events: try await manager.events(.get(path), options: options).all().count
        case .typedEvents: try await manager.events(.get(path), as: Value.self, options: options).all().count
        case .parts: try await manager.parts(.get(path)).all().count
        case .jsonLines: try await manager.jsonLines(.get(path), of: Value.self).all().count
        case .jsonSequence: try await manager.jsonSequence(.get(path), of: Value.self).all().count
        }
    }

    @Test(
        "the channel's error filter reads an error in JSON with status 200, and the error has the body", arguments: Door.allCases,
        [compact, pretty])
    func filtered(door: Door, body: String) async throws {
        let server = try LoopbackServer.test { _ in .json(body) }
        let channel = Channel.test(server) { $0.errorFilter = .rejection(Rejection.self) }
        let error = await #expect(throws: APIClientError.self) { try await read(door, channel.manager) }
        #expect(error?.app() == Self.quota, "\(String(describing: error))")
        let shown = String(decoding: error?.context.body ?? Data(), as: UTF8.self)
        #expect(shown.trimmingCharacters(in: .whitespacesAndNewlines) == body.trimmingCharacters(in: .whitespacesAndNewlines))
        #expect(error?.context.head?.status == .ok && server.requests.count == 1)
    }

    @Test("without a filter the error says what was expected, and has the body", arguments: Door.allCases)
    func shown(door: Door) async throws {
        let server = try LoopbackServer.test { _ in .json(Self.compact) }
        let error = await #expect(throws: APIClientError.self) { try await read(door, server.manager) }
        let isOfEvents = door == .events || door == .typedEvents
        #expect(error?.label == (isOfEvents ? "verification.unacceptableContentType" : "decoding"))
        #expect(error?.context.body == Data(Self.compact.utf8) && server.requests.count == 1)
        if !isOfEvents { #expect(error?.description.contains("quota") == true, "\(String(describing: error))") }
    }

    @Test("a body that breaks off or has no end is collected within bounds; the error stays", arguments: [Door.events, .parts])
    func bounded(door: Door) async throws {
        let cut = ServerReply.Step.sendHead(status: 200, headers: ["Content-Type": "text/html", "Content-Length": "9"])
        let endless = ServerReply.Step.sendHead(status: 200, headers: ["Content-Type": "text/html"])
        let server = try LoopbackServer.test {
            $0.path == "/cut"
                ? [cut, .sendBody(Data("<no".utf8)), .closeConnection]
                : [endless, .sendEndlessly(Data(repeating: 0x61, count: 1 << 16))]
        }
        let channel = Channel.test(server) { $0.limits.responseBodySize = 1 << 20 }
        for path in ["cut", "endless"] {
            let error = await #expect(throws: APIClientError.self) { try await read(door, channel.manager, path) }
            #expect(
                error?.label == (door == .events ? "verification.unacceptableContentType" : "decoding"),
                "\(String(describing: error))")
            let body = error?.context.body ?? Data()
            #expect(path == "cut" ? body == Data("<no".utf8) : (1...(1 << 20)).contains(body.count), "\(body.count)")
        }
        #expect(server.requests.count == 2)
        try await server.waitForOpenConnections(atMost: 0)
    }

    @Test("lines take every media type; one modifier rejects others, and the filter sees the body")
    func lines() async throws {
        let server = try LoopbackServer.test { _ in .json(Self.compact) }
        let channel = Channel.test(server) { $0.errorFilter = .rejection(Rejection.self) }
        #expect(try await channel.manager.lines(.get("log")).all() == [Self.compact])
        let text = channel.manager.attaching(ContentTypeResponseVerifier("text/*"))
        let error = await #expect(throws: APIClientError.self) { try await text.lines(.get("log")).all() }
        #expect(error?.app() == Self.quota && error?.context.body == Data(Self.compact.utf8))
    }

    @Test("a line that is not text is in the error")
    func binary() async throws {
        let image = Data([0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A, 0x1A])
        let server = try LoopbackServer.test { _ in .ok(image, headers: ["Content-Type": "image/png"]) }
        let error = await #expect(throws: APIClientError.self) { try await server.manager.lines(.get("x")).all() }
        #expect(error?.context.body == image.prefix(4), "\(String(describing: error?.context.body))")
    }

    @Test("a server's error between the values is the channel's error, with the values before it", arguments: [false, true])
    func between(isEvents: Bool) async throws {
        let events = "data: {\"id\":1}\n\nevent: error\ndata: \(Self.compact)\n\n"
        let server = try LoopbackServer.test { _ in isEvents ? .events(events) : .ok("{\"id\":1}\n\(Self.compact)\n") }
        let channel = Channel.test(server) { $0.errorFilter = .rejection(Rejection.self) }
        var values: [Value] = []
        let error = await failure {
            if isEvents {
                for try await event in channel.manager.events(.get("x"), as: Value.self) { values.append(event.data) }
            } else {
                for try await value in channel.manager.jsonLines(.get("x"), of: Value.self) { values.append(value) }
            }
        }
        #expect(error?.app() == Self.quota && error?.context.streamed?.items == 1, "\(error as Any)")
        #expect(error?.context.body == Data(Self.compact.utf8))
        #expect(values == [Value(id: 1)] && server.requests.count == 1)
    }

    @Test(
        "200 alone opens an event stream: another status ends it with an error, even one of success",
        // A 206 without a range is an error of its own.
        arguments: [200, 201, 202, 203, 204, 205, 207, 208, 226, 299])
    func statuses(status: Int) async throws {
        let stream = Data((status == 204 || status == 205 ? "" : "id: 1\ndata: x\n\n").utf8)
        let server = try LoopbackServer.test { request in
            request.headers["last-event-id"] == nil
                ? .status(status, body: stream, headers: ["Content-Type": "text/event-stream"]) : .status(204)
        }
        let channel = Channel.test(server)
        var seen: [String] = []
        do throws(APIClientError) {
            let options = EventOptions(reconnections: 1, pause: .milliseconds(1))
            for try await update in channel.manager.events(.get("x"), options: options).updates {
                switch update {
                case .open: seen.append("open")
                case .event(let event): seen.append(event.data)
                case .reconnecting: seen.append("again")
                }
            }
            #expect(status == 200 || status == 204)
        } catch {
            #expect(error.label == "verification.unacceptableStatus.\(status)")
            #expect("\(error)".contains("expected the status 200, got \(status)"), "\(error)")
            #expect(error.context.body == stream && status != 200 && status != 204)
        }
        if status == 200 {
            #expect(seen == ["open", "x", "again"])
        } else {
            #expect(seen.isEmpty && server.requests.count == 1)
        }
    }

    @Test("a stream behind another status of success that breaks off is rejected all the same, without another connection")
    func brokenStatus() async throws {
        let server = try LoopbackServer.test { _ in
            [
                .sendHead(status: 202, headers: ["Content-Type": "text/event-stream", "Content-Length": "99"]),
                .sendBody(Data("data: x\n\n".utf8)), .closeConnection,
            ]
        }
        let error = await #expect(throws: APIClientError.self) { try await server.manager.events(.get("x")).all() }
        #expect(error?.label == "verification.unacceptableStatus.202" && error?.context.body == Data("data: x\n\n".utf8))
        #expect(server.requests.count == 1)
    }
}
