import Foundation

extension DocumentGenerator {
    private static let names: [String] = [
        "id", "name", "price", "isActive", "userName", "userID", "anURLAndMore", "a", "b", "B", "aa", "ab", "a10", "a9", "", "é",
        "e\u{301}", "日本", "\u{212A}", "K", "a/b", "a\"b", "a\\b", "\n", "\u{0}", "a\u{0}", "🙂", "\u{FFFF}", "sameBeginningA",
        "sameBeginningB", "sameBeginning", "sameBegi", "sameBeg", "super", "1", "2", "_x", "x_", "ÉaÉ", "1A", "ABC", "aBCDef",
    ]

    private static let texts: [String] = [
        "", "a", "plain text", "a longer text than fits into a word or two", "\"", "\\", "/", "\n\r\t\u{8}\u{C}",
        "\u{0}\u{1F}\u{7F}", "1234567\"", "12345678\"", "1234567é", "é", "e\u{301}", "日本語", "🙂🙃", "\u{2028}", "</script>",
        "ending\\", "1234567/1234567/", "\u{1}\u{2}\u{3}\u{4}\u{5}\u{6}\u{7}\u{E}\u{F}\u{10}",
    ]

    private static let doubles: [Double] = [
        0, -0.0, 1, -1, 0.1, 0.01, 0.001, 1e-4, 9.99e-5, 1e-5, 12.5, 99.99, 1e15, 1e16, 1e17, 999999999999999, 0.1 + 0.2, 1.0 / 3,
        .leastNonzeroMagnitude, .greatestFiniteMagnitude, .pi, 123456.789, 1e22, 9007199254740992, 4503599627370496.5, -273.15,
        100, 1e14 + 0.5,
    ]

    mutating func name() -> AnyKey { AnyKey(stringValue: pick(Self.names)) }

    mutating func text() -> String {
        if below(3) > 0 { return pick(Self.texts) }
        return String(
            String.UnicodeScalarView(
                (0..<below(30)).map { _ in
                    Unicode.Scalar(UInt32(truncatingIfNeeded: number() >> UInt64(44 + below(16)))) ?? "x"
                }))
    }

    mutating func double() -> Double {
        switch below(12) {
        case 0...3: return pick(Self.doubles)
        case 4: return Double(Int(truncatingIfNeeded: number() >> 40)) / 100
        case 5: return -Double(Int(truncatingIfNeeded: number() >> UInt64(below(60)))) / [10, 1e3, 1e5, 1e6][below(4)]
        case 6: return Double(Int(truncatingIfNeeded: number() >> UInt64(below(64))))
        // Rarely, because everything else would fail.
        case 7: return below(20) > 0 ? 2.5 : [Double.nan, .infinity, -.infinity][below(3)]
        default:
            let double = Double(bitPattern: number())
            return double.isFinite ? double : 1
        }
    }

    mutating func date() -> Date {
        let seconds = Double(Int(truncatingIfNeeded: number() >> 27)) - 6e10
        return Date(timeIntervalSinceReferenceDate: below(2) == 0 ? seconds : seconds + Double(below(1_000)) / 1_000)
    }

    mutating func encodingScript(depth: Int) -> EncodingScript {
        if depth > 0, below(3) > 0 { return container(depth: depth - 1) }
        switch below(26) {
        case 0: return .null
        case 1: return .nothing
        case 2: return .bool(below(2) == 0)
        case 3: return .int(Int(truncatingIfNeeded: number()) >> below(64))
        case 4: return .int8(Int8(truncatingIfNeeded: number()))
        case 5: return .uint64(number() >> UInt64(below(64)))
        case 6: return .int128(Int128(truncatingIfNeeded: number()) << Int128(below(64)))
        case 7: return .float(Float(bitPattern: UInt32(truncatingIfNeeded: number() >> 34)))
        case 8: return .date(date())
        case 9: return .data(Data(text().utf8))
        case 10: return .url(URL(string: ["https://a.example/b?c=d#e", "x/y", "mailto:a@b"][below(3)]) ?? URL(filePath: "/"))
        case 11: return .decimal(Decimal(string: "\(number()).\(number() >> 20)") ?? 0)
        case 12: return .ints((0..<below(5)).map { _ in Int(truncatingIfNeeded: number()) >> below(64) })
        case 13: return .doubles((0..<below(5)).map { _ in double() })
        case 14: return .floats((0..<below(3)).map { _ in Float(double()) })
        case 15: return .strings((0..<below(4)).map { _ in text() })
        case 16: return .bools((0..<below(3)).map { _ in below(2) == 0 })
        case 17: return .optionals((0..<below(3)).map { _ in below(2) == 0 ? double() : nil })
        case 18: return .texts(Dictionary((0..<below(4)).map { _ in (name().stringValue, text()) }) { $1 })
        case 19: return .word(pick([.a, .b, .name, .red]))
        case 20: return .shape(pick([.circle(radius: double()), .a(id: 1, name: nil), .named(text()), .empty]))
        case 21: return .bytes((0..<below(5)).map { _ in UInt8(truncatingIfNeeded: number()) })
        case 22: return .set(below(2) == 0 ? [] : [below(9)])
        case 23: return .double(double())
        default: return .string(text())
        }
    }

    private mutating func container(depth: Int) -> EncodingScript {
        switch below(12) {
        case 0: return .list((0..<below(4)).map { _ in encodingScript(depth: depth) })
        case 1: return .optional(below(4) == 0 ? nil : encodingScript(depth: depth))
        case 2:
            return .dictionary(Dictionary((0..<below(4)).map { _ in (name().stringValue, encodingScript(depth: depth)) }) { $1 })
        case 3: return .numbered(Dictionary((0..<below(3)).map { _ in (below(20) - 3, encodingScript(depth: depth)) }) { $1 })
        case 4: return .maybe(below(4) == 0 ? nil : Dictionary((0..<below(3)).map { _ in (name().stringValue, double()) }) { $1 })
        case 5: return .single(encodingScript(depth: depth))
        case 6: return .unkeyed(items(depth: depth))
        case 7: return .twice(members(depth: depth), members(depth: depth))
        case 8: return .flattened(members(depth: depth), members(depth: depth))
        default: return .keyed(members(depth: depth))
        }
    }

    private mutating func members(depth: Int) -> [EncodingScript.Member] {
        (0..<below(below(20) == 0 ? 40 : 7)).map { _ in
            let step: EncodingScript.Step
            switch below(16) {
            case 0: step = .null
            case 1 where depth > 0: step = .keyed(members(depth: depth - 1))
            case 2 where depth > 0: step = .late(members(depth: depth - 1))
            case 3 where depth > 0: step = .unkeyed(items(depth: depth - 1))
            case 4: step = .superEncoder(encodingScript(depth: depth))
            case 5: step = .ownSuper(encodingScript(depth: depth))
            default: step = .value(encodingScript(depth: depth))
            }
            return EncodingScript.Member(key: name(), step: step)
        }
    }

    private mutating func items(depth: Int) -> [EncodingScript.Item] {
        (0..<below(6)).map { _ in
            switch below(10) {
            case 0: .null
            case 1 where depth > 0: .keyed(members(depth: depth - 1))
            case 2 where depth > 0: .unkeyed(items(depth: depth - 1))
            case 3: .superEncoder(encodingScript(depth: depth))
            case 4: .lateSuper(encodingScript(depth: depth))
            default: .value(encodingScript(depth: depth))
            }
        }
    }
}
