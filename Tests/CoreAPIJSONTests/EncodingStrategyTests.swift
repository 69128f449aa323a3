import CoreAPIJSON
import TestSupport

@Suite("Strategies, as JSONEncoder has them")
struct EncodingStrategyTests {
    private static let names = [
        "userId", "userID", "URLString", "a", "A", "ABC", "myURLProperty", "_userId", "userId_", "__", "user1Id", "éÉa", "ÉaÉ",
        "a_b", "aBCd", "HTTP2Server", "ÀBc", "aΑβ", "aǅb", "ßA", "aẞ", "aB ", "aBC_d", "aBC日d", "aªB", "aⅠb", "aⒶb", "\u{212A}a",
        "OaKelvin\u{212A}", "aE\u{301}b", "ae\u{301}B", "aB\u{301}\u{302}Cd", "a b", "", "Ω", "A1", "1A", "aB.cD", "🙂A", "A🙂b",
    ]

    @Test("keys in snake case", arguments: names)
    func snakeCase(name: String) {
        let encoders = Encoders(keys: .convertToSnakeCase)
        let key = AnyKey(stringValue: name)
        let value = Act { encoder in
            var container = encoder.members()
            try container.encode([name: [name: 1]], forKey: key)
        }
        encoders.same(value)
    }

    @Test("generated keys in snake case")
    func generatedNames() {
        let letters = Array("aAbBéÉ1_ ßǅ\u{301}日\u{212A}Ⅰ").map(\.unicodeScalars)
        var generator = DocumentGenerator(seed: 7)
        let encoders = Encoders(keys: .convertToSnakeCase)
        for _ in 0..<5_000 {
            var name = String.UnicodeScalarView()
            for _ in 0..<generator.below(9) { name += generator.pick(letters) }
            let key = AnyKey(stringValue: String(name))
            encoders.same(
                Act {
                    var container = $0.members()
                    try container.encode(1, forKey: key)
                })
        }
    }

    @Test("keys converted by a closure, which gets the path")
    func customKeys() {
        let encoders = Encoders(keys: .custom { path in AnyKey(stringValue: path.map(\.stringValue).joined(separator: ">")) })
        let value = Act { encoder in
            var container = encoder.members()
            try container.encode(1, forKey: "z")
            var nested = container.nestedContainer(keyedBy: AnyKey.self, forKey: "n")
            try nested.encode(2, forKey: "m")
            try nested.encode([Flat(id: 1, name: "", isActive: true)], forKey: "w")
            try encoder.single(["a": 1])
            try 5.encode(to: nested.superEncoder())
        }
        for value in [[value], []] {
            let (ours, foundation) = encoders.both(value)
            #expect(ours == foundation)
        }
        encoders.same(["a": [1: ["b": Word.red]]])
    }

    @Test("days of 8,400 years, and parts of seconds, in ISO 8601")
    func calendar() {
        let encoders = Encoders(dates: .iso8601)
        var dates: [Date] = []
        for day in stride(from: -150_000, to: 2_930_000, by: 97) {
            let second = Double((day * 7_919) % 86_400).magnitude
            dates.append(Date(timeIntervalSinceReferenceDate: Double(day) * 86_400 + second))
            dates.append(
                Date(timeIntervalSinceReferenceDate: Double(day) * 86_400 + second - Double(day.magnitude % 1_000) / 1_000))
        }
        let edges = [
            -12_654_403_200, -12_654_403_201, -12_654_403_199.5, 252_423_993_599, 252_423_993_599.75, 252_423_993_600, 0,
        ]
        dates += edges.map { Date(timeIntervalSinceReferenceDate: $0) }
        dates += [-0.0001, -1e-9, 0.999999, 0.9999999, 59.99999999].map { Date(timeIntervalSinceReferenceDate: $0) }
        for date in dates { encoders.same(date) }
    }

    @Test("dates that are not finite")
    func noDates() {
        let strings = JSONEncoder.NonConformingFloatEncodingStrategy.convertToString(
            positiveInfinity: "+", negativeInfinity: "-", nan: "none")
        for seconds in [Double.nan, .infinity, -.infinity] {
            let dates = [Date(timeIntervalSinceReferenceDate: seconds)]
            for strategy in [JSONEncoder.DateEncodingStrategy.deferredToDate, .secondsSince1970, .millisecondsSince1970] {
                for floats in [JSONEncoder.NonConformingFloatEncodingStrategy.throw, strings] {
                    Encoders(dates: strategy, floats: floats).same(dates)
                }
            }
        }
    }

    @Test("NaN and infinities")
    func nonConforming() {
        let strings = JSONEncoder.NonConformingFloatEncodingStrategy.convertToString(
            positiveInfinity: "+/∞", negativeInfinity: "", nan: "\"\\\n")
        for floats in [JSONEncoder.NonConformingFloatEncodingStrategy.throw, strings] {
            let encoders = Encoders(floats: floats)
            for number in [Double.nan, .infinity, -.infinity, .signalingNaN] {
                for verdicts in [
                    encoders.both(number), encoders.both([1, number]), encoders.both([number as Double?]),
                    encoders.both(["a": [Float(number)]]), encoders.both(["1": number]), encoders.both([1: number]),
                    encoders.both([Shape.circle(radius: number)]), encoders.both([[number]]),
                ] { #expect(verdicts.ours == verdicts.foundation) }
            }
        }
    }

    @Test("bytes", arguments: [[], [0], [255, 255, 254], Array(0...255)] as [[UInt8]])
    func bytes(_ bytes: [UInt8]) {
        for strategy in [
            JSONEncoder.DataEncodingStrategy.base64, .deferredToData, .custom { data, _ in _ = data },
            .custom { data, encoder in try encoder.single(data.map { "\($0)" }) },
        ] {
            for formatting in [JSONEncoder.OutputFormatting.sortedKeys, [.sortedKeys, .withoutEscapingSlashes]] {
                let encoders = Encoders(formatting, data: strategy)
                let data = Data(bytes)
                for verdicts in [
                    encoders.both(data), encoders.both([data]), encoders.both(["a": data]), encoders.both(data as Data?),
                ] { #expect(verdicts.ours == verdicts.foundation) }
            }
        }
    }

    @Test("every byte and every length of strings, in keys and values")
    func strings() {
        let encoders = [Encoders(), Encoders([.sortedKeys, .withoutEscapingSlashes])]
        for length in 0..<40 {
            for place in 0...length {
                for odd in ["", "\"", "/", "\u{0}", "\u{1F}", "é", "\u{7F}", "\u{10FFFF}"] {
                    let text = String(repeating: "x", count: place) + odd + String(repeating: "y", count: length - place)
                    for encoders in encoders {
                        let (ours, foundation) = encoders.both([text: text, text + "x": "", "other": text])
                        #expect(ours == foundation)
                    }
                }
            }
        }
        let scalars = (0..<0x300).compactMap { Unicode.Scalar($0 as UInt32).map { String(Character($0)) } }
        encoders[0].same(scalars)
        encoders[0].same(Dictionary(scalars.map { ($0, $0) }) { $1 })
    }
}
