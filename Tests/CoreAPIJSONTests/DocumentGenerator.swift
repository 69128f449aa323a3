import TestSupport

/// Random documents: of the form of some type, of any form, and with a few bytes or tokens changed.
struct DocumentGenerator {
    private var numbers: SplitMix

    init(seed: UInt64) { numbers = SplitMix(seed) }

    mutating func number() -> UInt64 { numbers.next() }

    mutating func below(_ count: Int) -> Int { Int(truncatingIfNeeded: number() >> 33) % count }

    mutating func pick<Item>(_ items: [Item]) -> Item { items[below(items.count)] }

    private static let keys: [[UInt8]] = [
        "id", "name", "price", "isActive", "tags", "v", "next", "a", "b", "c", "d", "e", "x", "y", "z", "1", "2", "radius",
        "circle", "named", "empty", "_0", "date", "data", "url", "super", #"\u0061"#, #"n\u0061me"#, "é", "e\u{301}", "",
        "user_id", "userId", "_a_b_", "a_b",
    ].map { Array("\"\($0)\"".utf8) }

    private static let scalars: [[UInt8]] = [
        "0", "1", "-1", "2", "5.0", "1e2", "1.5", "-0", "-0.0", "255", "256", "-128", "-129", "65536", "2147483648", "4294967296",
        "9223372036854775807", "9223372036854775808", "-9223372036854775809", "18446744073709551615", "18446744073709551616",
        "9007199254740993", "9007199254740993.5", "90071992547409930e-1", "1e18", "1e19", "1e20",
        "170141183460469231731687303715884105727",
        "-170141183460469231731687303715884105728", "340282366920938463463374607431768211456", "0.1", "1e-7", "3.4e38", "3.5e38",
        "1e-50",
        "1e400", "1e-400", "123456789012345678901234567890.123456789", "true", "false", "null", #""""#, #""a""#, #""name""#,
        #""red""#,
        #""\n""#, #""\u0061""#, #""\ud83d\ude00""#, #""\ud83d""#, #""\q""#, #""é""#, #""aGk=""#, #""a longer string than fits""#,
        #""2024-02-29T23:59:59Z""#, #""2024-02-30T00:00:00Z""#, #""2024-02-29T23:59:59+01:00""#, #""2024-02-29""#,
        #""https://a.example/b?c=d""#,
        #""a b""#, #""Infinity""#, #""NaN""#, "01", "1.", "-", "1e", "1-2", "[]", "{}", "[1,2,3]", #"["a","b"]"#, #"{"a":1}"#,
        #"{"id":1,"name":"a","isActive":true}"#,
    ].map { Array($0.utf8) }

    private static let whole: [[UInt8]] = [
        #"{"id":1,"name":"a","price":1.5,"isActive":true,"tags":["a","b"]}"#, #"{"id":7,"name":"é","isActive":false}"#,
        #"{"v":1,"next":[{"v":2},{"next":[]}],"a":{"b":{"v":3}}}"#,
        #"{"a":1,"b":2,"c":3,"d":4,"e":5,"id":6,"v":7,"x":8,"y":9,"z":10}"#,
        #"{"circle":{"radius":1.5}}"#, #"{"a":{"id":1,"name":null}}"#, #"{"named":{"_0":"a"}}"#, #"{"empty":{}}"#,
        #"{"a":"a","b":["b","name"],"id":1}"#, #"{"name":"a","super":{"id":5}}"#, #"{"name":null,"a":{"id":5}}"#,
        #"{"date":"2024-02-29T23:59:59Z","data":"aGk=","url":"https://a.example","id":1.25}"#,
        #"{"a":["1970-01-01T00:00:00Z"],"b":{"x":"/y"},"c":[1,null]}"#,
        #"[1,"a",null,true,{"id":1},[1,2.5],{"id":1,"name":"a","isActive":true},[1]]"#,
        #"{"id":null,"a":{"1":0,"2":5},"b":["red"],"name":"a"}"#, #"{"a":{"2":5},"b":["a"],"id":3}"#, #"{"1":"a","2":"b"}"#,
        #"[{"id":1,"name":"a","isActive":true},{"id":2,"name":"b","isActive":false,"tags":[]}]"#, #"[1,2,3]"#,
        #"[1.5,-0.0,1e22]"#,
        #"["a","b\n"]"#, #"{"a":1,"b":2}"#, #"{"a":[1],"b":[2,3]}"#, "[[1],[2,[3]]]", "5", #""a""#, "true", "null", "{}", "[]",
        #"{"user_id":1,"_a_b_":"x","a_b":true,"name":"a"}"#,
    ].map { Array($0.utf8) }

    private static let odd: [UInt8] = Array("{}[],:\"\\ 019-+.eEtfnu\t".utf8) + [0, 0x1F, 0x80, 0xC3, 0xA9, 0xFF]

    mutating func document() -> [UInt8] {
        var document = below(4) == 0 ? value(depth: below(4)) : pick(Self.whole)
        for _ in 0..<below(4) { change(&document) }
        return document
    }

    private mutating func value(depth: Int) -> [UInt8] {
        guard depth > 0 else { return pick(Self.scalars) }
        let isObject = below(2) == 0
        var text: [UInt8] = [isObject ? 0x7B : 0x5B]
        for index in 0..<below(5) {
            if index > 0 { text.append(0x2C) }
            if isObject { text += pick(Self.keys) + [0x3A] }
            text += value(depth: depth - 1)
        }
        text.append(isObject ? 0x7D : 0x5D)
        return text
    }

    mutating func change(_ document: inout [UInt8]) {
        guard !document.isEmpty else { return }
        switch below(8) {
        case 0: document[below(document.count)] = pick(Self.odd)
        case 1: document.remove(at: below(document.count))
        case 2: document.insert(pick(Self.odd), at: below(document.count))
        default: replaceToken(&document)
        }
    }

    /// Replaces the text between two of `{}[],:`, mostly a key by a key.
    private mutating func replaceToken(_ document: inout [UInt8]) {
        let marks = Set<UInt8>([0x7B, 0x7D, 0x5B, 0x5D, 0x2C, 0x3A])
        let place = below(document.count)
        var start = place
        while start > 0, !marks.contains(document[start - 1]) { start -= 1 }
        var end = place
        while end < document.count, !marks.contains(document[end]) { end += 1 }
        guard start < end else { return }
        let isKey = end < document.count && document[end] == 0x3A
        document.replaceSubrange(start..<end, with: isKey ? pick(Self.keys) : pick(Self.scalars))
    }
}
