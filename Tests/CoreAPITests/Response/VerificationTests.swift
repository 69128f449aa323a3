import CoreAPI
import Foundation
import HTTPTypes
import Testing

@Suite("Verification")
struct VerificationTests {
    @Test("verifiers: the nearest for status, the first failure of all")
    func verifiers() async {
        func label(_ status: Int, _ type: String?, _ modifiers: [any RequestModifier]) async -> String? {
            let headers: HTTPFields = type.map { [.contentType: $0] } ?? [:]
            var channel = Channel.test("https://h.example", transport: RecordingTransport(status: status, headers: headers))
            channel.modifiers = [StatusCodeResponseVerifier(418)]
            return await channel.manager().response(for: TestEndpoint(modifiers: modifiers), decoding: .nothing).error?.label
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
        "an empty answer is nil where its status may be empty, an error where a value is needed",
        arguments: [
            (204, true), (205, true), (202, false), (200, false),
        ])
    func emptyBody(status: Int, isNil: Bool) async {
        let channel = Channel.test("https://h.example", transport: RecordingTransport(status: status, body: ""))
        let optional = await channel.manager().response(for: TestEndpoint(), as: Item?.self)
        if isNil {
            #expect(optional.error == nil)
        } else {
            #expect(optional.error?.label == "verification.emptyBody")
        }
        let declared = TestEndpoint(modifiers: [StatusCodeResponseVerifier(200..<300, mayBeEmpty: [status])])
        #expect(await channel.manager().response(for: declared, as: Item?.self).error == nil)
        #expect(await channel.manager().response(for: TestEndpoint(), as: Item.self).error?.label == "verification.emptyBody")
        #expect(await channel.manager().response(for: TestEndpoint(), decoding: .nothing).error == nil)
    }

    struct Needs: ResponseVerifier {
        let header: String
        func verify(_ response: Response<Data>) throws {
            guard response.head?.headers.contains(where: { $0.name.rawName == header }) == true else {
                throw Trouble(code: header.count)
            }
        }
    }

    @Test("of several verifiers of a team's own the first failure wins, farthest first")
    func firstFailure() async throws {
        var channel = Channel.test("https://h.example", transport: RecordingTransport(headers: [.eTag: "1"]))
        channel.modifiers = [Needs(header: "ETag"), Needs(header: "Age")]
        let endpoint = TestEndpoint(modifiers: [Needs(header: "Location")])
        guard
            case .verification(.custom(let error), _)? = await channel.manager().response(for: endpoint, decoding: .nothing).error
        else {
            Issue.record("expected a verifier's own error"); return
        }
        #expect(error as? Trouble == Trouble(code: 3))
    }
}
