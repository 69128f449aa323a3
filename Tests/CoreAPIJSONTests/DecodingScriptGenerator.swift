extension DocumentGenerator {
    /// The key that is asked for, and another spelling that a document may have.
    private static let names: [(asked: String, written: String)] = [
        ("id", "id"), ("name", "name"), ("a", "a"), ("b", #"\u0062"#), ("é", "e\u{301}"), ("super", "super"),
        ("userId", "user_id"), ("aB", "aB"), ("", ""), ("eman", "name"), ("di", "id"),
    ]

    mutating func decodingScript(depth: Int) -> DecodingScript {
        guard depth > 0 else { return below(6) == 0 ? .null : .single(pick(DecodingScript.Scalar.allCases)) }
        switch below(10) {
        case 0: return .single(pick(DecodingScript.Scalar.allCases))
        case 1, 2: return .unkeyed(items(depth: depth - 1))
        case 3: return .anyOf((0..<2).map { _ in decodingScript(depth: depth - 1) })
        case 4: return .same(decodingScript(depth: depth - 1))
        case 5: return .optional(decodingScript(depth: depth - 1))
        case 6: return .list(decodingScript(depth: depth - 1))
        default: return .keyed(members(depth: depth - 1))
        }
    }

    private mutating func members(depth: Int) -> [DecodingScript.Member] {
        (0..<below(6)).map { _ in
            DecodingScript.Member(key: AnyKey(stringValue: pick(Self.names).asked), step: step(depth: depth))
        }
    }

    private mutating func step(depth: Int) -> DecodingScript.Step {
        switch below(16) {
        case 0: .isNull
        case 1: .isThere
        case 2: .keys
        case 3: .script(decodingScript(depth: depth))
        case 4: .maybeScript(decodingScript(depth: depth))
        case 5 where depth > 0: .keyed(members(depth: depth - 1))
        case 6 where depth > 0: .unkeyed(items(depth: depth - 1))
        case 7: .superDecoder(decodingScript(depth: depth))
        case 8: .ownSuper(decodingScript(depth: depth))
        case 9, 10: .attempt(step(depth: depth))
        case 11, 12: .maybe(pick(DecodingScript.Scalar.allCases))
        default: .value(pick(DecodingScript.Scalar.allCases))
        }
    }

    private mutating func items(depth: Int) -> [DecodingScript.Item] { (0..<below(6)).map { _ in item(depth: depth) } }

    private mutating func item(depth: Int) -> DecodingScript.Item {
        switch below(14) {
        case 0: .isNull
        case 1: .rest(pick(DecodingScript.Scalar.allCases))
        case 2: .script(decodingScript(depth: depth))
        case 3: .maybeScript(decodingScript(depth: depth))
        case 4 where depth > 0: .keyed(members(depth: depth - 1))
        case 5 where depth > 0: .unkeyed(items(depth: depth - 1))
        case 6: .superDecoder(decodingScript(depth: depth))
        case 7, 8: .attempt(item(depth: depth))
        case 9, 10: .maybe(pick(DecodingScript.Scalar.allCases))
        default: .value(pick(DecodingScript.Scalar.allCases))
        }
    }

    mutating func document(for script: DecodingScript) -> [UInt8] {
        var document = Array(text(script).utf8)
        if below(4) == 0 { change(&document) }
        return document
    }

    private mutating func text(_ script: DecodingScript) -> String {
        switch script {
        case .single(let scalar): text(scalar)
        case .null: "null"
        case .keyed(let members): object(members)
        case .unkeyed(let items): array(items)
        case .anyOf(let scripts): text(pick(scripts))
        case .same(let script): text(script)
        case .optional(let script): below(3) == 0 ? "null" : text(script)
        case .list(let script): "[\((0..<below(4)).map { _ in text(script) }.joined(separator: ","))]"
        }
    }

    private mutating func object(_ members: [DecodingScript.Member]) -> String {
        // A key that is asked for twice may occur twice. A key that is never asked for may occur, too.
        var pairs = members.filter { _ in below(12) > 0 }.map { "\"\(name($0.key))\":\(text($0.step))" }
        if below(3) == 0 { pairs.insert("\"\(pick(Self.names).written)\":\(text(pick(DecodingScript.Scalar.allCases)))", at: 0) }
        return "{\(pairs.joined(separator: ","))}"
    }

    private mutating func name(_ key: AnyKey) -> String {
        guard below(4) == 0, let known = Self.names.first(where: { $0.asked == key.stringValue }) else { return key.stringValue }
        return known.written
    }

    private mutating func text(_ step: DecodingScript.Step) -> String {
        switch step {
        case .value(let scalar): text(scalar)
        case .maybe(let scalar): below(3) == 0 ? "null" : text(scalar)
        case .isNull, .isThere, .keys: below(2) == 0 ? "null" : "1"
        case .script(let script), .maybeScript(let script), .superDecoder(let script), .ownSuper(let script): text(script)
        case .keyed(let members): object(members)
        case .unkeyed(let items): array(items)
        case .attempt(let step): below(2) == 0 ? text(pick(DecodingScript.Scalar.allCases)) : text(step)
        }
    }

    private mutating func array(_ items: [DecodingScript.Item]) -> String {
        "[\(items.map { text($0) }.joined(separator: ","))]"
    }

    private mutating func text(_ item: DecodingScript.Item) -> String {
        switch item {
        case .value(let scalar), .rest(let scalar): text(scalar)
        case .maybe(let scalar): below(3) == 0 ? "null" : text(scalar)
        case .isNull: "null"
        case .script(let script), .maybeScript(let script), .superDecoder(let script): text(script)
        case .keyed(let members): object(members)
        case .unkeyed(let items): array(items)
        case .attempt(let item): below(2) == 0 ? text(pick(DecodingScript.Scalar.allCases)) : text(item)
        }
    }

    private mutating func text(_ scalar: DecodingScript.Scalar) -> String {
        switch scalar {
        case .bool: pick(["true", "false"])
        case .int, .int64: pick(["0", "-1", "5.0", "1e2", "9223372036854775807"])
        case .int8: pick(["0", "-128", "127"])
        case .uint16, .uint64: pick(["0", "255", "65535"])
        case .int128: pick(["170141183460469231731687303715884105727", "-1"])
        case .double, .float: pick(["0.1", "-0.0", "1e20", "3", "12345.678"])
        case .string: pick([#""""#, #""a""#, #""a longer string than fits""#, #""é""#, #""\ud83d\ude00\n""#])
        case .decimal: pick(["1.25", "123456789012345678901234567890.125"])
        case .date: pick([#""2024-02-29T23:59:59Z""#, "12.5", "1700000000"])
        case .data: pick([#""aGk=""#, #""""#, "[1,255]"])
        case .url: pick([#""https://a.example/b?c=d""#, #""x/y""#])
        case .word: pick([#""a""#, #""name""#])
        case .ints: pick(["[]", "[1]", "[1,2.0,-3]"])
        case .strings: pick(["[]", #"["a","é"]"#])
        }
    }
}
