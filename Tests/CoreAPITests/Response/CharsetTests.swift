import CoreAPI
import Foundation
import HTTPTypes
import Testing

@Suite("Response: a body as text")
struct CharsetTests {
    private func text(_ bytes: [UInt8], _ type: String?) async throws -> String {
        let transport = RecordingTransport { request in
            let headers: HTTPFields = type.map { [.contentType: $0] } ?? [:]
            return Response(
                request: request, head: ResponseHead(status: .ok, headers: headers), data: Data(bytes),
                result: .success(Data(bytes)))
        }
        let response = await Channel.test("https://h.example", transport: transport).manager().response(
            for: TestEndpoint(), decoding: .data)
        return try response.rawString
    }

    @Test(
        "is read in the charset that the response declares",
        arguments: [
            ([0xC5, 0x9F, 0x69, 0xC5, 0x9F], "text/plain; charset=UTF-8", "şiş"),
            ([0xC5, 0x9F], nil, "ş"),
            ([0xC5, 0x9F], "application/json", "ş"),
            ([0xEF, 0xBB, 0xBF, 0x61], "text/plain; charset=utf8", "a"),
            ([0xFE, 0x69, 0xFE], "text/plain; charset=iso-8859-9", "şiş"),
            ([0xD0, 0xDD, 0xDE, 0xF0, 0xFD, 0xFE], "text/plain;charset=\"ISO-8859-9\"", "ĞİŞğış"),
            ([0xFE, 0x80], "text/plain; charset=windows-1254", "ş€"),
            ([0xFE, 0xE9], "text/plain; charset=ISO-8859-1", "þé"),
            ([0x80, 0xE9], "text/plain; x=\"a;b\"; Charset=Windows-1252", "€é"),
            ([0x01, 0x5F], "text/plain; charset=utf-16", "ş"),
            ([0xFE, 0xFF, 0x01, 0x5F], "text/plain; charset=utf-16", "ş"),
            ([0xFF, 0xFE, 0x5F, 0x01], "text/plain; charset=utf-16", "ş"),
            ([0x5F, 0x01], "text/plain; charset=utf-16le", "ş"),
            ([0x3D, 0xD8, 0x00, 0xDE], "text/plain; charset=UTF-16LE", "😀"),
            ([], "text/plain; charset=utf-8", ""),
        ] as [([UInt8], String?, String)])
    func declared(bytes: [UInt8], type: String?, expected: String) async throws {
        #expect(try await text(bytes, type) == expected)
    }

    @Test(
        "says when the charset is unknown or a lie",
        arguments: [
            ([0x61], "text/plain; charset=klingon", CharsetError.unknown("klingon")),
            ([0x61], "text/plain; charset=\"\"", .unknown("")),
            ([0xFE], "text/plain; charset=utf-8", .malformed("utf-8")),
            ([0xFE], nil, .malformed("utf-8")),
            ([0x61, 0x62, 0x63], "text/plain; charset=utf-16", .malformed("utf-16")),
            ([0xD8, 0x00, 0x00, 0x61], "text/plain; charset=utf-16be", .malformed("utf-16be")),
            ([0x81], "text/plain; charset=windows-1252", .malformed("windows-1252")),
        ] as [([UInt8], String?, CharsetError)])
    func wrong(bytes: [UInt8], type: String?, error: CharsetError) async {
        await #expect(throws: error) { try await text(bytes, type) }
    }

    @Test("a response is transformed without losing what it carries")
    func transforming() async throws {
        struct Odd: Error {}
        let manager = Channel.test("https://h.example", transport: RecordingTransport(body: "7")).manager()
        let response: Response<Int> = await manager.response(for: TestEndpoint())
        #expect(try response.map { $0 + 1 }.value == 8)
        #expect(try response.flatMap { .success("\($0)") }.value == "7")
        let failed = response.map { _ -> Int in throw Odd() }
        #expect(failed.error?.app(Odd.self) != nil)
        #expect(failed.head?.status.code == 200)
        #expect(failed.data == Data("7".utf8))
        #expect(failed.map { $0 }.error?.app(Odd.self) != nil)
    }
}
