import TestSupport

@Suite("Verification", .closing)
struct VerificationTests {
    @Test("verifiers: the nearest for status, the first failure of all")
    func verifiers() async {
        func label(_ status: Int, _ type: String?, _ modifiers: [any RequestModifier]) async -> String? {
            let headers: HTTPFields = type.map { [.contentType: $0] } ?? [:]
            var channel = Channel.test("https://h.example", transport: RecordingTransport(status: status, headers: headers))
            channel.modifiers = [StatusCodeResponseVerifier(418)]
            return await channel.manager().response(for: TestEndpoint(modifiers: modifiers), as: .nothing).error?.label
        }
        let json = ContentTypeResponseVerifier("application/json", "text/*")
        #expect(await label(418, nil, []) == nil)
        #expect(await label(200, nil, []) == "verification.unacceptableStatus.200")
        #expect(await label(200, nil, [StatusCodeResponseVerifier(200...204)]) == nil)
        #expect(await label(205, nil, [StatusCodeResponseVerifier(200...204)]) == "verification.unacceptableStatus.205")
        #expect(await label(200, nil, [StatusCodeResponseVerifier([200, 201]), json]) == "verification.unacceptableContentType")
        #expect(await label(200, "application/json; charset=utf-8", [StatusCodeResponseVerifier(200), json]) == nil)
        #expect(await label(200, "TEXT/Plain", [StatusCodeResponseVerifier(200), json]) == nil)
        #expect(
            await label(200, "application/xml", [StatusCodeResponseVerifier(200), json]) == "verification.unacceptableContentType"
        )
    }

    @Test(
        "of several media types the verifier asks for the last valid one, on lines of their own or in a list",
        arguments: [
            (["application/json", "application/json"], true), (["application/json; charset=utf-8", "application/json"], true),
            (["application/json, application/json"], true), (["application/json", "nonsense"], true),
            (["application/json", ""], true),
            (["application/json", "*/*"], true), (["text/html", "application/json"], true),
            (["application/json", "text/html"], false),
            (["application/json, text/html"], false), (["nonsense"], false), ([], false),
        ] as [([String], Bool)])
    func severalTypes(lines: [String], isAccepted: Bool) async throws {
        let server = try LoopbackServer.start { _ in
            var headers = HeaderLines()
            for line in lines { headers.append("Content-Type", line) }
            return .ok("{}", headers: headers)
        }
        let channel = Channel.test(server.url)
        let endpoint = TestEndpoint(modifiers: [ContentTypeResponseVerifier("application/json")])
        let error = await channel.manager().response(for: endpoint, as: .nothing).error
        #expect(error?.label == (isAccepted ? nil : "verification.unacceptableContentType"))
    }

    private struct Nothing: Decodable, Sendable {}
    private final class NothingAtAll: Decodable, Sendable {}
    private struct AllOptional: Decodable, Sendable { var id: Int? }

    @Test("an optional output of an empty answer is nil, with any status", arguments: [200, 201, 202, 204, 205])
    func emptyOptional(status: Int) async throws {
        let manager = Channel.test("https://h.example", transport: RecordingTransport(status: status, body: "")).manager()
        #expect(try await manager.request(endpoint: TestEndpoint(), type: Item?.self) == nil)
        #expect(try await manager.request(endpoint: TestEndpoint(), type: Data?.self) == nil)
        #expect(try await manager.request(endpoint: TestEndpoint(), type: [Item]?.self) == nil)
    }

    @Test(
        "only a type without properties is decoded from an empty answer, if the status allows one",
        arguments: [(204, true), (205, true), (202, false), (200, false)])
    func emptyBody(status: Int, isMade: Bool) async {
        let manager = Channel.test("https://h.example", transport: RecordingTransport(status: status, body: "")).manager()
        let declared = TestEndpoint(modifiers: [StatusCodeResponseVerifier(200..<300, mayBeEmpty: [status])])
        for endpoint in [TestEndpoint(), declared] {
            let isMade = isMade || !endpoint.modifiers.isEmpty
            let expected = isMade ? nil : "verification.emptyBody"
            #expect(await manager.response(for: endpoint, as: Nothing.self).error?.label == expected)
            #expect(await manager.response(for: endpoint, as: NothingAtAll.self).error?.label == expected)
            #expect(await manager.response(for: endpoint, as: Item.self).error?.label == "verification.emptyBody")
            #expect(await manager.response(for: endpoint, as: AllOptional.self).error?.label == "verification.emptyBody")
            #expect(await manager.response(for: endpoint, as: [Item].self).error?.label == "verification.emptyBody")
            #expect(await manager.response(for: endpoint, as: Int.self).error?.label == "verification.emptyBody")
        }
        #expect(await manager.response(for: TestEndpoint(), as: .nothing).error == nil)
    }

    @Test(
        "of several status verifiers the nearest applies, together with those that always apply", arguments: [200, 201, 404])
    func severalStatuses(status: Int) async {
        var channel = Channel.test("https://h.example", transport: RecordingTransport(status: status))
        func isAccepted(_ verifiers: any RequestModifier...) async -> Bool {
            channel.modifiers = [verifiers[0]]
            return await channel.manager().response(for: TestEndpoint(modifiers: [verifiers[1]]), as: .nothing).error == nil
        }
        #expect(await isAccepted(StatusCodeResponseVerifier(200), StatusCodeResponseVerifier(200, 404)) == (status != 201))
        #expect(await isAccepted(StatusCodeResponseVerifier(200).always, StatusCodeResponseVerifier(200, 404)) == (status == 200))
        #expect(
            await isAccepted(StatusCodeResponseVerifier(200..<300).always, StatusCodeResponseVerifier(201).always)
                == (status == 201))
    }

    struct Needs: ResponseVerifier {
        let header: String
        func verify(_ response: Response<Data>) throws {
            guard response.head?.headers.contains(where: { $0.name.rawName == header }) == true else {
                throw Trouble(code: header.count)
            }
        }
    }

    @Test("of several custom verifiers the first failure wins, farthest first")
    func firstFailure() async throws {
        var channel = Channel.test("https://h.example", transport: RecordingTransport(headers: [.eTag: "1"]))
        channel.modifiers = [Needs(header: "ETag"), Needs(header: "Age")]
        let endpoint = TestEndpoint(modifiers: [Needs(header: "Location")])
        guard
            case .verification(.custom(let error), _)? = await channel.manager().response(for: endpoint, as: .nothing).error
        else {
            Issue.record("expected a verifier's own error"); return
        }
        #expect(error as? Trouble == Trouble(code: 3))
    }
}
