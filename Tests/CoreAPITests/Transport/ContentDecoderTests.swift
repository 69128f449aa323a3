import TestSupport

@testable import CoreAPICore
@testable import CoreAPICurl

@Suite("Content codings, piece by piece")
struct ContentDecoderTests {
    private func decode(_ body: Data, _ coding: String, by piece: Int = .max, limit: Int = 1_000) throws -> Data {
        let decoder = try #require(try ContentDecoder(head: Array("HTTP/1.1 200 OK\r\nContent-Encoding: \(coding)\r\n\r\n".utf8)))
        var decoded = Data()
        var rest = Array(body)[...]
        while !rest.isEmpty {
            try Array(rest.prefix(piece)).withUnsafeBufferPointer { try decoder.decode($0, into: &decoded, limit: limit) }
            rest = rest.dropFirst(piece)
        }
        #expect(decoder.isFinished)
        return decoded
    }

    @Test("A coding needs its own line; one after a CR in another field's value is ignored")
    func line() throws {
        let head = "HTTP/1.1 200 OK\r\nContent-Language: en\r\nX: a\rContent-Encoding: gzip\r\n\r\n"
        #expect(try ContentDecoder(head: Array(head.utf8)) == nil)
    }

    @Test("Bare deflate is distinguished from zlib by two bytes, even if they arrive one by one")
    func bareInPieces() throws {
        // A stored block whose unused bits make its first byte look like zlib's, and an empty last block.
        let bare = Data([0x08, 0x05, 0x00, 0xFA, 0xFF] + Array("hello".utf8) + [0x01, 0x00, 0x00, 0xFF, 0xFF])
        for piece in [Int.max, 1, 2] { #expect(try decode(bare, "deflate", by: piece) == Data("hello".utf8)) }
        let zlib = Data([0x78, 0x9C, 0xCB, 0x48, 0xCD, 0xC9, 0xC9, 0x07, 0x00, 0x06, 0x2C, 0x02, 0x15])
        for piece in [Int.max, 1, 2] { #expect(try decode(zlib, "deflate", by: piece) == Data("hello".utf8)) }
    }

    /// Fifteen thousand empty gzip files in a gzip file: 300 kB in between, and no bytes at the end.
    private static let emptyFiles = Data(
        base64Encoded: """
            H4sIAAAAAAACA+3IsQ0AIAgAMCKLX3AwTxMGjzBpx1bfWCcznnLOOeecc84555xzzjnnnHPOOeecc84555xzzjnnnHPOOeecc84555xzzjnnnH
            POOeecc84555xzzjnnnHPOOeecc84555xzzjnnnHPOOeecc84555xzzjnnnHPOOeecc84555xzzjnnnHPOOeecc84555xzzjnnnHPOOeecc845
            55xzzjnnnHPOOeecc84555xzzjnnnHPOOeecc84555xzzjnnnHPOOeecc84555xzzjnnnHPOOeecc84555xzzjnnnHPOOeecc84555xzzjnnnH
            POOeecc84555xzzjnnnHPOOeecc84555xzzjnnnHPOOeecc84555xzzjnnnHPOOeecc84555xzzjnnnHPOOeecc84555xzzjnnnHPOOeecc845
            55xzzjnnnHPOOeecc84555xzzjnnnHPOOeecc84555xzzjnnnHPOOeecc84555xzzjnnnHPOOeecc84555xzzjnnnHPOOeecc84555xzzjnnnH
            POOeecc84555xzzjnnnHPOOeecc84555xzzjnnnHPOOeecc84555xzzjnnnHPOOeecc84555xzzjnnnHPOOeecc84555xzzjnnnHPOOeecc845
            55xzzjnnnHPOOeecc84555xzzjnnnHPOOeecc84555xzzjnnnHPOOeecc84555xzzjnnnHPOOeecc84555xzzjnnnHPOOeecc84555xzzjnnnH
            POOeecc84555xzzjnnnHPOOeecc84555xzzjnnnHPOOeecc84555xzzjnnnHPOOeecc84555xzzjnnnHPOOeecc84555xzzjnnnHPOOeecc845
            55xzzjnnnHPOOeecc84555xzzjnnnHPOOeecc84555xzzjnnnHPOOeecc84555xzzjnnnHPOOeecc84555xzzjnnnHPOOeecc84555xzzjnnnH
            POOeecc84555xzzjnnnHPOOeecc+7TG7YlpbfgkwQA
            """, options: .ignoreUnknownCharacters)

    @Test("The output of every coding is bounded, because each can expand its input and the last can yield no byte")
    func bombInBetween() throws {
        let body = try #require(Self.emptyFiles)
        #expect(throws: TransportError.self) { try decode(body, "gzip, gzip") }
        #expect(try decode(body, "gzip, gzip", limit: 200_000).isEmpty)
    }
}
