import CoreAPIJSON
import TestSupport

@Suite("Corners that JSONDecoder has")
struct CornerTests {
    private let decoders = Decoders()

    /// Decodes values of a class that is known only at run time, in every way.
    private struct Heirs: Decodable, Equatable {
        private enum CodingKeys: CodingKey { case member, items, own }

        var kinds: [String] = []

        init(from decoder: any Decoder) throws {
            let given: Base.Type = Derived.self
            let container = try decoder.container(keyedBy: CodingKeys.self)
            var items = try container.nestedUnkeyedContainer(forKey: .items)
            let made = [
                try container.decode(given, forKey: .member), try container.decodeIfPresent(given, forKey: .member),
                try items.decode(given), try items.decodeIfPresent(given),
                try container.superDecoder(forKey: .own).singleValueContainer().decode(given),
            ]
            kinds = made.map { "\($0.map { String(describing: type(of: $0)) } ?? "nil")" }
        }
    }

    @Test("a class that is known only at run time")
    func heirs() throws {
        let value = #"{"id":1,"name":"a","a":{"id":2}}"#
        #expect(
            decoders.same(Heirs.self, #"{"member":\#(value),"items":[\#(value),\#(value)],"own":\#(value)}"#).isFailure == false)
        let given: Base.Type = Derived.self
        let document = Data(value.utf8)
        #expect(type(of: try JSONDecoder().decode(given, from: document)) == Derived.self)
        #expect(type(of: try JSONBodyDecoder().decode(given, from: document)) == Derived.self)
    }

    @Test("integers at their bounds, and as fractions and powers")
    func integers() {
        let numbers = [
            "0", "-0", "5.0", "1e2", "1.5", "1e-1", "10e-1", "127", "128", "-128", "-129", "255", "256", "32767", "32768",
            "65535", "65536",
            "2147483647", "2147483648", "4294967295", "4294967296", "9223372036854775807", "9223372036854775808",
            "-9223372036854775808",
            "-9223372036854775809", "18446744073709551615", "18446744073709551616", "9223372036854775807.0",
            "9223372036854775808.0",
            "-9223372036854775808.0", "18446744073709551615.0", "9007199254740991.0", "9007199254740993.0", "9007199254740993.5",
            "90071992547409930e-1", "90071992547409935e-1", "1e15", "1e16", "1e18", "1e19", "1e20", "1e37", "1e38", "1e39",
            "12e17",
            "170141183460469231731687303715884105727", "170141183460469231731687303715884105728",
            "-170141183460469231731687303715884105728",
            "340282366920938463463374607431768211455", "340282366920938463463374607431768211456",
            "340282366920938463463374607431768211455.0",
            "1.0000000000000000000000000000000000001", "123456789012345678", "1234567890123456789", "-123456789012345678", "000",
            "1e400",
            "99999999999999999999999999999999999999999999999999", "0.0", "-0.0", "1844674407370955161500e-2",
            "100000000000000000000e-2",
            // Multiples of 2⁶⁴, whose lower 64 bits are zero.
            "184467440737095516160.75", "36893488147419103232.5", "18446744073709551616.747283648", "184467440737095516160e-1",
        ]
        for number in numbers {
            decoders.same(Int.self, number)
            decoders.same(Int8.self, number)
            decoders.same(UInt8.self, number)
            decoders.same(Int16.self, number)
            decoders.same(UInt32.self, number)
            decoders.same(Int64.self, number)
            decoders.same(UInt64.self, number)
            decoders.same(UInt.self, number)
            decoders.same(Int128.self, number)
            decoders.same(UInt128.self, number)
            decoders.same([Double].self, "[\(number)]")
            decoders.same(Decimal.self, number)
        }
        #expect(decoders.same(Int128.self, "170141183460469231731687303715884105727") == .value(.max))
        #expect(decoders.same(UInt64.self, "18446744073709551615") == .value(.max))
        #expect(decoders.same(Int.self, "5.0") == .value(5))
        #expect(decoders.same(Int.self, "1.5").isFailure)
    }

    @Test("decimal numbers keep their digits")
    func decimals() {
        for number in [
            "0.1", "123456789012345678901234567890.12345678", "1e100", "1e127", "1e128", "1e-127", "1e-128", "1e-129", "1e165",
            "1e166", "12345678901234567890123456789012345678", "123456789012345678901234567890123456789012345678", "-0", "-0.5",
            "1E5", "5e0", "0.00000000000000000000000000000000000000000000000001",
            "3.14159265358979323846264338327950288419716939937510", "99999999999999999999999999999999999999",
            "340282366920938463463374607431768211455", "1e1000", "1.50", "100",
        ] {
            decoders.same(Decimal.self, number)
            decoders.same([Decimal?].self, "[\(number),null]")
        }
        #expect(decoders.same(Decimal.self, "0.1") == .value(Decimal(string: "0.1") ?? 0))
        for value in ["\"1\"", "null", "true", "[1]", "{}", "1.", "01"] { decoders.same(Decimal.self, value) }
    }

    @Test("URLs")
    func addresses() {
        for value in [
            "https://a.example/b?c=d#e", "/a/b", "", "a b", "http://[::1]:80/", "http://a.example:x/", "%", "%zz", "é",
            "http://é.example/ü", "file:///a", "mailto:a@b.example", "//a", "?", "#", "http://a b/", "\\n",
        ] {
            decoders.same([URL].self, "[\"\(value)\"]")
            decoders.same([String: URL].self, "{\"a\":\"\(value)\"}")
        }
        for value in ["null", "5", "{}", "[]"] { decoders.same(URL.self, value) }
    }

    @Test("of equal keys the first wins, also if they are spelled differently")
    func duplicates() {
        #expect(decoders.same([String: Int].self, "{\"a\":1,\"a\":2}") == .value(["a": 1]))
        #expect(decoders.same([String: Int].self, "{\"\\u0061\":1,\"a\":2}") == .value(["a": 1]))
        #expect(decoders.same([String: Int].self, "{\"\u{E9}\":1,\"e\u{301}\":2}") == .value(["é": 1]))
        #expect(decoders.same(Box<Int>.self, "{\"a\":1,\"b\":2,\"a\":3,\"b\":4}") == .value(Box(a: 1, b: 2)))
        #expect(decoders.same(Box<Int>.self, "{\"b\":2,\"a\":1,\"a\":3}") == .value(Box(a: 1, b: 2)))
        decoders.same(Box<Int>.self, "{\"a\":1,\"b\":2,\"a\":\"wrong\"}")
        decoders.same([String: Int].self, "{\"a\":1,\"a\":\"wrong\"}")
        decoders.same(Maze.self, #"{"b":["a"],"a":{"2":5,"1":0,"2":6},"id":null,"b":[],"a":5,"name":"x"}"#)
    }

    @Test("keys match by canonical equivalence")
    func equivalence() {
        struct Accented: Decodable, Equatable {
            let é: Int
            let kelvin: Int?
            enum CodingKeys: String, CodingKey { case é, kelvin = "\u{212A}" }
        }
        #expect(decoders.same(Accented.self, "{\"\u{E9}\":1}") == .value(Accented(é: 1, kelvin: nil)))
        #expect(decoders.same(Accented.self, "{\"e\u{301}\":1}") == .value(Accented(é: 1, kelvin: nil)))
        #expect(decoders.same(Accented.self, "{\"e\\u0301\":1,\"K\":5}") == .value(Accented(é: 1, kelvin: 5)))
        struct Kelvin: Decodable, Equatable {
            let kelvin: Int
            enum CodingKeys: String, CodingKey { case kelvin = "\u{212A}" }
        }
        #expect(decoders.same(Kelvin.self, "{\"K\":5}") == .value(Kelvin(kelvin: 5)))
        #expect(decoders.same(Kelvin.self, "{\"k\":5}").isFailure)
    }

    @Test(
        "objects with any number of members, in any order", arguments: [0, 1, 2, 7, 8, 9, 31, 32, 33, 34, 63, 64, 65, 100, 1_000])
    func sizes(count: Int) {
        let forward = (0..<count).map { "\"key\($0)\":\($0)" }
        struct Members: Decodable, Equatable {
            var found: [Int]
            init(from decoder: any Decoder) throws {
                let container = try decoder.container(keyedBy: AnyKey.self)
                let keys = container.allKeys.sorted { $0.stringValue < $1.stringValue }
                found = try keys.map { try container.decode(Int.self, forKey: $0) }
                found += try keys.reversed().map { try container.decode(Int.self, forKey: $0) }
                found.append(try container.decodeIfPresent(Int.self, forKey: "none") ?? -1)
            }
        }
        for members in [forward, forward.reversed(), forward + ["\"key0\":-5"], ["\"é\":1"] + forward] {
            let document = "{" + members.joined(separator: ",") + "}"
            decoders.same(Members.self, document)
            decoders.same([String: Int].self, document)
            decoders.same([String: Int?].self, document)
        }
    }

    @Test("text of any encoding, with and without a byte order mark")
    func encodings() throws {
        let documents = ["{\"id\":1,\"name\":\"é😀\",\"isActive\":true}", "5", "[]", "\"a\"", " 1", "", "{\"id\":"]
        for encoding in [
            String.Encoding.utf8, .utf16, .utf16LittleEndian, .utf16BigEndian, .utf32, .utf32LittleEndian, .utf32BigEndian,
        ] {
            for document in documents {
                let data = try #require(document.data(using: encoding))
                for mark: [UInt8] in [
                    [], [0xEF, 0xBB, 0xBF], [0xFE, 0xFF], [0xFF, 0xFE], [0, 0, 0xFE, 0xFF], [0xFF, 0xFE, 0, 0],
                    [0xFE, 0xFF, 0, 0],
                ] {
                    for cut in 0..<3 {
                        let marked = Data(mark) + data.dropLast(cut)
                        decoders.same(AnyValue.self, marked)
                    }
                }
            }
        }
        let utf16 = try #require(documents[0].data(using: .utf16LittleEndian))
        #expect(decoders.both(Flat.self, utf16).ours == .value(Flat(id: 1, name: "é😀", isActive: true)))
    }

    @Test("a slice of data")
    func slices() {
        let data = Data("xx{\"a\":1}yy".utf8)
        #expect(decoders.both(Box<Int>.self, data[2..<9]).ours == .value(Box(a: 1)))
        #expect(decoders.both(Box<Int>.self, Data()).ours == .failure("dataCorrupted at []"))
    }

    @Test("errors say what was expected, what was found and where")
    func messages() {
        func message(_ type: (some Decodable).Type, _ document: String) -> String {
            do {
                _ = try JSONBodyDecoder().decode(type, from: Data(document.utf8))
                return ""
            } catch { return "\(error)" }
        }
        #expect(message(Flat.self, "{\"id\":\"x\"}").contains("expected Int, found a string, at byte 6"))
        #expect(message(Flat.self, "{\"id\":1.5}").contains("expected a number that Int can hold, found 1.5, at byte 6"))
        #expect(message(Flat.self, "{\"id\":1").contains("expected ',' or '}', found the end, at byte 7"))
        #expect(message(Flat.self, "{\"id\":1}").contains("expected the key 'name'"))
        #expect(message([Int].self, "[1,null]").contains("expected Int, found null"))
        #expect(message([String: Int].self, "null").contains("expected an object, found null"))
        #expect(message([String].self, "[\"\\q\"]").contains("at byte 2"))
        #expect(message(Int.self, "[1;]").contains("found ';', at byte 2"))
    }

    @Test("JSONDecoder decodes a document that is too large for the tape")
    func limit() throws {
        var decoder = JSONBodyDecoder()
        decoder.sizeLimit = 10
        decoder.keyDecodingStrategy = .convertFromSnakeCase
        let document = Data("{\"user_id\":5,\"a_b\":true}".utf8)
        #expect(try decoder.decode(Snake.self, from: document) == Snake(userId: 5, aB: true))
        #expect(throws: DecodingError.self) { try decoder.decode(Snake.self, from: document.dropLast()) }
        // Not decoded by Foundation, which would crash: it looks for the last byte's position beyond the document's end.
        #expect(throws: DecodingError.self) {
            try decoder.decode([Int].self, from: Data(repeating: UInt8(ascii: "["), count: 513))
        }
        // Ten characters of UTF-16 become twelve bytes of UTF-8.
        let utf16 = Data([0xFE, 0xFF, 0, 0x22, 0x20, 0xAC, 0x20, 0xAC, 0x00, 0x22])
        #expect(try decoder.decode(String.self, from: utf16) == "€€")
    }

    @Test("a key in snake case keeps its own spelling after an equal key with other bytes")
    func spellings() throws {
        struct Spelling: Decodable {
            let bytes: [[UInt8]]
            init(from decoder: any Decoder) throws {
                bytes = try decoder.container(keyedBy: AnyKey.self).allKeys.map { Array($0.stringValue.utf8) }
            }
        }
        let document = Data("[{\"a_e\u{301}\":1},{\"a_\u{E9}\":2},{\"e\u{301}\":3},{\"\u{E9}\":4}]".utf8)
        var ours = JSONBodyDecoder()
        ours.keyDecodingStrategy = .convertFromSnakeCase
        let theirs = JSONDecoder()
        theirs.keyDecodingStrategy = .convertFromSnakeCase
        let expected = try theirs.decode([Spelling].self, from: document).map(\.bytes)
        #expect(try ours.decode([Spelling].self, from: document).map(\.bytes) == expected)
    }

    @Test("keys in any order, missing keys, keys of inner objects and texts that look like keys", arguments: 0..<20)
    func keysInAnyOrder(seed: UInt64) {
        var generator = DocumentGenerator(seed: seed)
        var order = Array(0..<Row.count)
        let rows = (0..<60).map { index in
            // Mostly unchanged: the decoder predicts an object from the one before.
            if generator.below(4) == 0 { for place in order.indices { order.swapAt(place, generator.below(Row.count)) } }
            var members = order.filter { _ in generator.below(20) > 0 }.map { "\"k\($0)\":\(index * 100 + $0)" }
            if generator.below(3) == 0 {
                // With the array, inner keys stand where a flat object has its own.
                let inner = order.prefix(8).map { "\"k\($0)\":-1" }
                members.insert("\"inner\":{\"list\":[0],\(inner.joined(separator: ","))}", at: generator.below(members.count + 1))
            }
            if generator.below(3) == 0 { members.insert(#""text":"k7""#, at: generator.below(members.count + 1)) }
            if generator.below(10) == 0 { members.append(#""k5":-5"#) }
            return "{\(members.joined(separator: ","))}"
        }
        decoders.same([Row].self, "[\(rows.joined(separator: ","))]")
    }

    private struct Row: Decodable, Equatable {
        static let count = 16
        let values: [Int?]

        init(from decoder: any Decoder) throws {
            let container = try decoder.container(keyedBy: AnyKey.self)
            values = try (0..<Self.count).map { try container.decodeIfPresent(Int.self, forKey: AnyKey(stringValue: "k\($0)")) }
        }
    }
}
