import CoreAPIXML
import TestSupport
import XMLCoder

@Suite("InputEncoding: XML in and out", .closing, .timeLimit(.minutes(1)))
struct XMLTests {
    struct Order: Codable, Equatable, Sendable {
        var id: Int
        var title: String
        var tags: [String]
        var createdAt: Date
    }

    private struct OrderEndpoint: Endpoint {
        var order: Order?
        var path: String { "orders" }
        var method: HTTPRequest.Method { .post }
        var params: Parameters? { order.map { Parameters($0) } }
        var encoding: InputEncoding { .xml }
    }

    private let order = Order(id: 7, title: "Çanta & <kılıf>", tags: ["a", "b"], createdAt: Date(timeIntervalSince1970: 0))

    private func manager(_ server: LoopbackServer) -> NetworkManager<OrderEndpoint> {
        NetworkManager(channel: .test(server) { $0.coder = .xml })
    }

    @Test("a value sent over the wire is returned unchanged")
    func roundTrip() async throws {
        let server = try LoopbackServer.test { request in .ok(request.body, headers: ["Content-Type": "application/xml"]) }
        let response = await manager(server).response(for: OrderEndpoint(order: order), as: Order.self)
        #expect(try response.value == order)
        #expect(response.request?.headers[.contentType] == "application/xml")
        #expect(response.request?.headers[.accept] == "application/xml")
        let sent = try #require(server.requests.first?.bodyText)
        #expect(sent.contains("<title>Çanta &amp; &lt;kılıf&gt;</title>"))
        #expect(sent.hasPrefix("<?xml version=\"1.0\" encoding=\"UTF-8\"?>"))
        #expect(sent.contains("<createdAt>1970-01-01T00:00:00Z</createdAt>"))
    }

    @Test("a channel sets the root, the content type and the coders' own settings")
    func settings() throws {
        let coder = BodyCoder.xml(contentType: "text/xml", root: "order") {
            $0.keyEncodingStrategy = .convertToSnakeCase
        } configureDecoder: {
            $0.keyDecodingStrategy = .convertFromSnakeCase
        }
        #expect(coder.contentType == "text/xml")
        let text = String(decoding: try coder.encode(order), as: UTF8.self)
        #expect(text.contains("<order>") && text.contains("<created_at>"))
        #expect(try coder.decode(Order.self, from: Data(text.utf8)) == order)
    }

    @Test("a value without names is an error, not a trap")
    func scalar() async throws {
        #expect(throws: EncodingError.self) { try BodyCoder.xml.encode(7) }
        #expect(throws: EncodingError.self) { try BodyCoder.xml.encode("text") }
        #expect(throws: EncodingError.self) { try BodyCoder.xml.encode(Int?.none) }
        #expect(try !BodyCoder.xml.encode([1, 2]).isEmpty)
    }

    @Test(
        "a body that is not XML, or another document, is a decoding error with the body kept",
        arguments: ["", "{}", "<a", "<a><b></a>", "<order/>", "<a>&undefined;</a>", "\u{0}\u{0}"])
    func malformed(body: String) async throws {
        let server = try LoopbackServer.test { _ in .ok(Data(body.utf8)) }
        let response = await manager(server).response(for: OrderEndpoint(order: order), as: Order.self)
        #expect(response.error?.label == (body.isEmpty ? "verification.emptyBody" : "decoding"))
        #expect(String(decoding: response.data, as: UTF8.self) == body)
    }

    struct Note: Codable, Equatable { var text: String }

    private func decode(_ name: String, _ encoding: String.Encoding) throws -> Note {
        let text = "<?xml version='1.0' encoding='\(name)'?><note><text>ğış</text></note>"
        return try BodyCoder.xml.decode(Note.self, from: text.data(using: encoding) ?? Data())
    }

    @Test("UTF-16 in either byte order, and the Turkish charsets, are decoded")
    func encodings() throws {
        #expect(try decode("UTF-8", .utf8) == Note(text: "ğış"))
        #expect(try decode("UTF-16", .utf16) == Note(text: "ğış"))
        #expect(try decode("UTF-16", .utf16LittleEndian) == Note(text: "ğış"))
        #expect(try decode("UTF-16", .utf16BigEndian) == Note(text: "ğış"))
        #expect(try decode("windows-1254", .windowsCP1254) == Note(text: "ğış"))
    }

    @Test("arrays, dictionaries and generic types have a valid root name, and are decoded again")
    func roots() throws {
        struct Generic<Value: Codable & Equatable>: Codable, Equatable { var value: Value }
        #expect(try BodyCoder.xml.decode([Note].self, from: BodyCoder.xml.encode([Note(text: "a"), Note(text: "b")])).count == 2)
        #expect(try BodyCoder.xml.decode([String: String].self, from: BodyCoder.xml.encode(["a": "1"])) == ["a": "1"])
        let generic = Generic(value: 1)
        #expect(try BodyCoder.xml.decode(Generic<Int>.self, from: BodyCoder.xml.encode(generic)) == generic)
    }

    @Test(
        "a key with markup, or a character that XML forbids, is an encoding error, and no request is sent",
        arguments: [
            ["a></a><admin>true</admin><a": "b"], ["a b": "1"], ["1": "1"], ["a": "x\u{0}y"], ["a": "\u{FFFF}"], ["a": "\u{8}"],
        ])
    func injection(value: [String: String]) { #expect(throws: EncodingError.self) { try BodyCoder.xml.encode(value) } }

    @Test("a root with markup is an encoding error", arguments: ["a><evil/><b", "", "1", "a b", "a:b:c"])
    func root(name: String) { #expect(throws: EncodingError.self) { try BodyCoder.xml(root: name).encode(["a": "b"]) } }
}
