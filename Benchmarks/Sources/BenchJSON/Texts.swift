import Foundation

/// Documents, the same in every run.
struct Texts {
    private var state: UInt64 = 42

    private mutating func below(_ count: Int) -> Int {
        state &+= 0x9E37_79B9_7F4A_7C15
        var mixed = state
        mixed = (mixed ^ mixed >> 30) &* 0xBF58_476D_1CE4_E5B9
        mixed = (mixed ^ mixed >> 27) &* 0x94D0_49BB_1331_11EB
        return Int(truncatingIfNeeded: (mixed ^ mixed >> 31) >> 33) % count
    }

    private mutating func word(_ length: Int) -> String {
        String(decoding: (0..<length).map { _ in UInt8(ascii: "a") + UInt8(below(26)) }, as: UTF8.self)
    }

    private mutating func list(_ count: Int, _ item: (inout Texts, Int) -> String) -> String {
        "[" + (0..<count).map { item(&self, $0) }.joined(separator: ",") + "]"
    }

    private func padded(_ number: Int) -> String { number < 10 ? "0\(number)" : "\(number)" }

    // MARK: - Objects

    mutating func product(_ number: Int) -> String {
        let note = number % 3 == 0 ? "null" : "\"\(word(12))\""
        return "{\"id\":\(number),\"name\":\"\(word(8 + number % 14))\",\"price\":\(Double(below(100_000)) / 100),"
            + "\"isActive\":\(number % 2 == 0),\"category\":\"\(word(6))\",\"note\":\(note)}"
    }

    mutating func page() -> String { "{\"items\":\(products(9)),\"page\":1,\"total\":900}" }

    mutating func products(_ count: Int) -> String { list(count) { $0.product($1) } }

    mutating func orders(_ count: Int) -> String {
        list(count) { texts, number in
            let address =
                "{\"street\":\"\(texts.word(18))\",\"city\":{\"name\":\"\(texts.word(9))\",\"zip\":\(10_000 + number)}}"
            let lines = texts.list(3) { "{\"sku\":\"\($0.word(10))\",\"count\":\($1),\"price\":\($0.money())}" }
            return "{\"id\":\(number),\"buyer\":{\"name\":\"\(texts.word(12))\",\"address\":\(address)},"
                + "\"lines\":\(lines),\"total\":\(texts.money())}"
        }
    }

    private mutating func money() -> String { "{\"amount\":\(double() / 1_000),\"currency\":\"EUR\"}" }

    mutating func users(_ count: Int) -> String {
        list(count) {
            "{\"user_id\":\($1),\"first_name\":\"\($0.word(6))\",\"last_name\":\"\($0.word(9))\",\"is_admin\":false,"
                + "\"created_at\":\($1 * 1_000)}"
        }
    }

    mutating func drawing(_ count: Int) -> String {
        let figures = list(count) { texts, number in
            switch number % 3 {
            case 0: "{\"circle\":{\"radius\":\(number).5}}"
            case 1: "{\"rectangle\":{\"width\":\(number),\"height\":2.25}}"
            default: "{\"named\":{\"_0\":\"\(texts.word(9))\"}}"
            }
        }
        return "{\"shapes\":\(figures)}"
    }

    mutating func dictionaries(_ count: Int) -> String {
        list(count) { texts, _ in
            "{" + (0..<12).map { "\"\(texts.word(7))\($0)\":\"\(texts.word(9))\"" }.joined(separator: ",") + "}"
        }
    }

    // MARK: - Scalars

    private mutating func double() -> Double { Double(below(1 << 31)) / 2_147.483648 - 500_000 }

    mutating func doubles(_ count: Int) -> String { list(count) { texts, _ in "\(texts.double())" } }

    mutating func integers(_ count: Int) -> String { list(count) { texts, _ in "\(texts.below(11_000_000) - 1_000_000)" } }

    mutating func events(_ count: Int) -> String {
        list(count) { "{\"at\":\"\($0.date())\",\"until\":\"\($0.date())\",\"id\":\($1)}" }
    }

    private mutating func date() -> String {
        "20\(padded(below(40)))-\(padded(1 + below(12)))-\(padded(1 + below(28)))"
            + "T\(padded(below(24))):\(padded(below(60))):\(padded(below(60)))Z"
    }

    // MARK: - Strings

    /// An escape or letters beyond ASCII every hundred bytes or so.
    mutating func articles(_ count: Int) -> String {
        list(count) { texts, _ in
            let parts = (0..<30).map { part in
                texts.word(80) + (part % 3 == 0 ? #"\n"# : part % 7 == 1 ? #"\u00e9"# : part % 5 == 2 ? "é ü" : " ")
            }
            return "\"\(parts.joined())\""
        }
    }

    /// An escape every thirty bytes.
    mutating func escaped(_ count: Int) -> String {
        list(count) { texts, _ in
            let parts = (0..<24).map { part in texts.word(30) + [#"\n"#, #"\""#, #"\/"#][part % 3] }
            return "\"\(parts.joined())\""
        }
    }

    /// Letters beyond ASCII in every word.
    mutating func chinese(_ count: Int) -> String {
        list(count) { texts, _ in
            let parts = (0..<100).map { _ in "中文字\(texts.word(2))é " }
            return "\"\(parts.joined())\\n\""
        }
    }
}
