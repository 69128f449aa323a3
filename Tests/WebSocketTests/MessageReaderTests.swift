import TestSupport

@testable import CoreAPIWebSocket

/// A server's frame, written manually.
func frame(_ first: UInt8, _ payload: some Collection<UInt8> = [], mask: [UInt8]? = nil) -> [UInt8] {
    let masked: UInt8 = mask == nil ? 0 : 0x80
    let count = payload.count
    let length: [UInt8] =
        count < 126
        ? [masked | UInt8(count)]
        : count < 65_536
            ? [masked | 126, UInt8(count >> 8), UInt8(count & 0xFF)]
            : [masked | 127] + (0..<8).map { UInt8(truncatingIfNeeded: count >> (56 - 8 * $0)) }
    let body = mask.map { mask in payload.enumerated().map { $1 ^ mask[$0 % 4] } } ?? Array(payload)
    return [first] + length + (mask ?? []) + body
}

@Suite("Reading frames", .timeLimit(.minutes(1)))
struct MessageReaderTests {
    /// The events that a reader finds in bytes, cut into pieces of one size.
    static func read(
        _ bytes: [UInt8], pieces size: Int = .max, as role: Role = .client, _ options: WebSocket.Options = .init(),
        inflates: Bool = false
    ) throws(Violation) -> [MessageReader.Event] {
        var reader = MessageReader(role, options, inflates: inflates)
        var events: [MessageReader.Event] = []
        var rest = bytes[...]
        while !rest.isEmpty {
            let piece = Array(rest.prefix(size))
            rest = rest.dropFirst(piece.count)
            try piece.withUnsafeBufferPointer { piece throws(Violation) in
                var index = 0
                while let event = try reader.next(UnsafeRawBufferPointer(piece), at: &index) { events.append(event) }
            }
        }
        return events
    }

    @Test("messages, fragments and control frames between them, in pieces of any size", arguments: [1, 2, 3, 7, 64, 1 << 20])
    func messages(size: Int) throws {
        let large = [UInt8](repeating: 7, count: 70_000)
        let bytes =
            frame(0x81, "hello".utf8) + frame(0x01, "gün".utf8.prefix(2)) + frame(0x89, [1, 2]) + frame(0x00, [0xBC])
            + frame(0x8A) + frame(0x80, "n".utf8.prefix(0)) + frame(0x82, large) + frame(0x82, large.prefix(300))
            + frame(0x88, [0x03, 0xE8] + Array("bye".utf8))
        #expect(
            try Self.read(bytes, pieces: size) == [
                .message(.text("hello")), .ping(Data([1, 2])), .pong(Data()), .message(.text("gü")),
                .message(.binary(Data(large))), .message(.binary(Data(large.prefix(300)))), .close(.normal, reason: "bye"),
            ])
    }

    @Test("the server's half unmasks", arguments: [1, 5, 1_000])
    func masked(size: Int) throws {
        let payload = (0..<1_001).map { UInt8(truncatingIfNeeded: $0) }
        let bytes = frame(0x82, payload, mask: [0xDE, 0xAD, 0xBE, 0xEF])
        #expect(try Self.read(bytes, pieces: size, as: .server) == [.message(.binary(Data(payload)))])
    }

    static let violations: [(name: String, bytes: [UInt8], code: Int)] = [
        ("RSV1 without an extension", frame(0xC1, "a".utf8), 1002), ("RSV2", frame(0xA1), 1002), ("RSV3", frame(0x91), 1002),
        ("opcode 3", frame(0x83), 1002), ("opcode 7", frame(0x87), 1002), ("opcode 11", frame(0x8B), 1002),
        ("opcode 15", frame(0x8F), 1002), ("a masked frame", frame(0x81, "a".utf8, mask: [1, 2, 3, 4]), 1002),
        ("a ping in fragments", frame(0x09, [1]), 1002), ("a Close in fragments", frame(0x08), 1002),
        ("a ping of 126 bytes", frame(0x89, [UInt8](repeating: 0, count: 126)), 1002),
        ("a Close of 126 bytes", frame(0x88, [0x03, 0xE8] + [UInt8](repeating: 0x61, count: 124)), 1002),
        ("a continuation without a beginning", frame(0x80, "a".utf8), 1002),
        ("an unfinished continuation without a beginning", frame(0x00, "a".utf8), 1002),
        ("a message inside a message", frame(0x01, "a".utf8) + frame(0x81, "b".utf8), 1002),
        ("a continuation after the end", frame(0x81, "a".utf8) + frame(0x80, "b".utf8), 1002),
        ("a length of 2^63", [0x82, 127, 0x80, 0, 0, 0, 0, 0, 0, 0], 1002),
        ("a length of 2^64 - 1", [0x82, 127] + [UInt8](repeating: 0xFF, count: 8), 1002),
        ("a length of 2^63 - 1", [0x82, 127, 0x7F] + [UInt8](repeating: 0xFF, count: 7), 1009),
        ("125 in two bytes", [0x82, 126, 0, 125], 1002),
        ("65,535 in eight bytes", [0x82, 127, 0, 0, 0, 0, 0, 0, 0xFF, 0xFF], 1002),
        ("a Close of one byte", frame(0x88, [3]), 1002), ("a text that is not UTF-8", frame(0x81, [0x61, 0xFF]), 1007),
        ("an overlong form", frame(0x81, [0xC0, 0xAF]), 1007), ("a surrogate", frame(0x81, [0xED, 0xA0, 0x80]), 1007),
        ("beyond U+10FFFF", frame(0x81, [0xF4, 0x90, 0x80, 0x80]), 1007),
        ("an incomplete character", frame(0x81, [0xE2, 0x82]), 1007),
        ("a bad character over two fragments", frame(0x01, [0xE2, 0x82]) + frame(0x80, [0x61]), 1007),
        ("an incomplete character over two fragments", frame(0x01, [0xE2]) + frame(0x80, [0x82]), 1007),
        ("a reason that is not UTF-8", frame(0x88, [0x03, 0xE8, 0xFF]), 1007),
    ]

    @Test("the error names the broken rule", arguments: violations.indices, [1, 2, 1 << 20])
    func rejected(index: Int, size: Int) {
        let (name, bytes, code) = Self.violations[index]
        let error = #expect(throws: Violation.self, "\(name)") { try Self.read(bytes, pieces: size) }
        #expect(error?.code.rawValue == UInt16(code) && error?.reason.isEmpty == false, "\(name)")
    }

    @Test("an invalid text is rejected at its first invalid byte, before its frame ends")
    func failsFast() {
        let start = Array(frame(0x81, [0x61, 0xFF] + [UInt8](repeating: 0x61, count: 1_000)).prefix(6))
        #expect(throws: Violation.self) { try Self.read(start, pieces: 1) }
    }

    @Test(
        "a Close frame may have only a code that may be sent",
        arguments: [
            0, 999, 1_000, 1_001, 1_003, 1_004, 1_005, 1_006, 1_007, 1_014, 1_015, 1_016, 2_999, 3_000, 4_999, 5_000, 65_535,
        ])
    func codes(code: Int) {
        let isGood = [1_000, 1_001, 1_003, 1_007, 1_014, 3_000, 4_999].contains(code)
        let bytes = frame(0x88, [UInt8(code >> 8), UInt8(code & 0xFF)])
        #expect(((try? Self.read(bytes)) != nil) == isGood)
    }

    @Test("a too large message is rejected by its announced size, before memory is used", arguments: [1_000, 1_001])
    func sizes(size: Int) {
        let whole = frame(0x82, [UInt8](repeating: 0, count: size))
        let parts = frame(0x02, [UInt8](repeating: 0, count: 600)) + frame(0x80, [UInt8](repeating: 0, count: size - 600))
        for bytes in [whole, parts] {
            #expect(((try? Self.read(bytes, .with { $0.messageSize = 1_000 })) != nil) == (size <= 1_000))
        }
        let options = WebSocket.Options.with { ($0.messageSize, $0.frameSize) = (10_000, 1_000) }
        #expect(((try? Self.read(whole, options)) != nil) == (size <= 1_000))
        #expect((try? Self.read(parts, options)) != nil)
    }

    @Test("random bytes never trap", arguments: 0..<64)
    func random(seed: Int) {
        var generator = SplitMix(seed)
        for _ in 0..<200 {
            let count = Int.random(in: 0..<200, using: &generator)
            var bytes = (0..<count).map { _ in UInt8.random(in: .min ... .max, using: &generator) }
            if count > 2, Bool.random(using: &generator) { bytes[0] &= 0x8F }
            for role in [Role.client, .server] {
                _ = try? Self.read(bytes, pieces: Int.random(in: 1...64, using: &generator), as: role, inflates: true)
            }
        }
    }

    private static func compressed(_ messages: [String], resets: Bool = false) throws -> [[UInt8]] {
        let deflater = try #require(MessageDeflater(DeflateAgreement(resetsOwn: resets)))
        return try messages.map { try #require(Array($0.utf8).withUnsafeBytes { deflater.compress($0) }) }
    }

    @Test("compressed messages are read, with an earlier context and in fragments", arguments: [1, 3, 1 << 20])
    func inflates(size: Int) throws {
        let texts = ["where are you?", "where are you now?", "", String(repeating: "a", count: 100_000)]
        let messages = try Self.compressed(texts)
        #expect(messages[1].count < messages[0].count, "the second one refers to the first")
        let whole = messages.flatMap { frame(0xC1, $0) }
        #expect(try Self.read(whole, pieces: size, inflates: true) == texts.map { .message(.text($0)) })
        let parts = messages.flatMap { frame(0x41, $0.prefix(3)) + frame(0x89) + frame(0x80, $0.dropFirst(3)) }
        #expect(try Self.read(parts, pieces: size, inflates: true) == texts.flatMap { [.ping(Data()), .message(.text($0))] })
    }

    @Test("a final block does not end the stream of messages (RFC 7692 §7.2.3.4)")
    func finalBlock() throws {
        // "Hello" with BFINAL, and a message that refers to it by its window (§7.2.3.2).
        let first: [UInt8] = [0xF3, 0x48, 0xCD, 0xC9, 0xC9, 0x07, 0x00, 0x00]
        let second: [UInt8] = [0xF2, 0x00, 0x11, 0x00, 0x00]
        let events = try Self.read(frame(0xC1, first) + frame(0xC1, second), inflates: true)
        #expect(events == [.message(.text("Hello")), .message(.text("Hello"))])
    }

    @Test(
        "compression is rejected where it has no meaning",
        arguments: [
            (frame(0xC9), 1002), (frame(0xC8), 1002), (frame(0x01, "a".utf8) + frame(0xC0, "b".utf8), 1002),
            (frame(0xC1, [0xFF, 0xFF, 0xFF]), 1007),
        ] as [([UInt8], Int)])
    func compressionRules(bytes: [UInt8], code: Int) {
        let error = #expect(throws: Violation.self) { try Self.read(bytes, inflates: true) }
        #expect(error?.code.rawValue == UInt16(code))
    }

    @Test("each side reads the other side's frames", arguments: [0, 1, 125, 126, 65_535, 65_536, 200_000])
    func roundTrip(count: Int) throws {
        let payload = Data((0..<count).map { UInt8(truncatingIfNeeded: $0 &* 31) })
        for (role, reader) in [(Role.client, Role.server), (.server, .client)] {
            let bytes = Array(FrameWriter(role: role).frame(.binary, payload))
            #expect(try Self.read(bytes, as: reader) == [.message(.binary(payload))])
        }
    }

    @Test("every frame has a different mask")
    func masks() {
        let writer = FrameWriter(role: .client)
        #expect(Set((0..<100).map { _ in writer.frame(.text, "a".utf8)[2..<6] }).count > 95)
    }

    @Test("a Close frame's reason is cut at a character, and an internal code is omitted")
    func closeFrames() throws {
        let writer = FrameWriter(role: .server)
        let long = String(repeating: "ğ", count: 100)
        #expect(try Self.read(Array(writer.close(.normal, long))) == [.close(.normal, reason: String(repeating: "ğ", count: 61))])
        #expect(try Self.read(Array(writer.close(.noStatus, "x"))) == [.close(nil, reason: "")])
        #expect(try Self.read(Array(writer.close(.init(rawValue: 1015), "x"))) == [.close(nil, reason: "")])
    }
}
