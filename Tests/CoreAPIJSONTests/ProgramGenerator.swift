extension DocumentGenerator {
    /// Asked for under the first; the second is what a document may say in its place.
    private static let names: [(asked: String, written: String)] = [
        ("id", "id"), ("name", "name"), ("a", "a"), ("b", #"\u0062"#), ("é", "e\u{301}"), ("super", "super"),
        ("userId", "user_id"),
        ("aB", "aB"), ("", ""), ("eman", "name"), ("di", "id"),
    ]

    mutating func program(depth: Int) -> Program {
        guard depth > 0 else { return below(6) == 0 ? .null : .single(pick(Program.Scalar.allCases)) }
        switch below(10) {
        case 0: return .single(pick(Program.Scalar.allCases))
        case 1, 2: return .unkeyed(items(depth: depth - 1))
        case 3: return .anyOf((0..<2).map { _ in program(depth: depth - 1) })
        case 4: return .same(program(depth: depth - 1))
        case 5: return .optional(program(depth: depth - 1))
        case 6: return .list(program(depth: depth - 1))
        default: return .keyed(members(depth: depth - 1))
        }
    }

    private mutating func members(depth: Int) -> [Program.Member] {
        (0..<below(6)).map { _ in Program.Member(key: AnyKey(stringValue: pick(Self.names).asked), step: step(depth: depth)) }
    }

    private mutating func step(depth: Int) -> Program.Step {
        switch below(16) {
        case 0: .isNull
        case 1: .isThere
        case 2: .keys
        case 3: .program(program(depth: depth))
        case 4: .maybeProgram(program(depth: depth))
        case 5 where depth > 0: .keyed(members(depth: depth - 1))
        case 6 where depth > 0: .unkeyed(items(depth: depth - 1))
        case 7: .superDecoder(program(depth: depth))
        case 8: .ownSuper(program(depth: depth))
        case 9, 10: .attempt(step(depth: depth))
        case 11, 12: .maybe(pick(Program.Scalar.allCases))
        default: .value(pick(Program.Scalar.allCases))
        }
    }

    private mutating func items(depth: Int) -> [Program.Item] { (0..<below(6)).map { _ in item(depth: depth) } }

    private mutating func item(depth: Int) -> Program.Item {
        switch below(14) {
        case 0: .isNull
        case 1: .rest(pick(Program.Scalar.allCases))
        case 2: .program(program(depth: depth))
        case 3: .maybeProgram(program(depth: depth))
        case 4 where depth > 0: .keyed(members(depth: depth - 1))
        case 5 where depth > 0: .unkeyed(items(depth: depth - 1))
        case 6: .superDecoder(program(depth: depth))
        case 7, 8: .attempt(item(depth: depth))
        case 9, 10: .maybe(pick(Program.Scalar.allCases))
        default: .value(pick(Program.Scalar.allCases))
        }
    }

    // MARK: - Documents of the form that a program reads

    mutating func document(for program: Program) -> [UInt8] {
        var document = Array(text(program).utf8)
        if below(4) == 0 { change(&document) }
        return document
    }

    private mutating func text(_ program: Program) -> String {
        switch program {
        case .single(let scalar): text(scalar)
        case .null: "null"
        case .keyed(let members): object(members)
        case .unkeyed(let items): array(items)
        case .anyOf(let programs): text(pick(programs))
        case .same(let program): text(program)
        case .optional(let program): below(3) == 0 ? "null" : text(program)
        case .list(let program): "[\((0..<below(4)).map { _ in text(program) }.joined(separator: ","))]"
        }
    }

    private mutating func object(_ members: [Program.Member]) -> String {
        // One that is asked for twice may be there twice; one that nobody asks for, too.
        var pairs = members.filter { _ in below(12) > 0 }.map { "\"\(name($0.key))\":\(text($0.step))" }
        if below(3) == 0 { pairs.insert("\"\(pick(Self.names).written)\":\(text(pick(Program.Scalar.allCases)))", at: 0) }
        return "{\(pairs.joined(separator: ","))}"
    }

    private mutating func name(_ key: AnyKey) -> String {
        guard below(4) == 0, let known = Self.names.first(where: { $0.asked == key.stringValue }) else { return key.stringValue }
        return known.written
    }

    private mutating func text(_ step: Program.Step) -> String {
        switch step {
        case .value(let scalar): text(scalar)
        case .maybe(let scalar): below(3) == 0 ? "null" : text(scalar)
        case .isNull, .isThere, .keys: below(2) == 0 ? "null" : "1"
        case .program(let program), .maybeProgram(let program), .superDecoder(let program), .ownSuper(let program): text(program)
        case .keyed(let members): object(members)
        case .unkeyed(let items): array(items)
        case .attempt(let step): below(2) == 0 ? text(pick(Program.Scalar.allCases)) : text(step)
        }
    }

    private mutating func array(_ items: [Program.Item]) -> String {
        "[\(items.map { text($0) }.joined(separator: ","))]"
    }

    private mutating func text(_ item: Program.Item) -> String {
        switch item {
        case .value(let scalar), .rest(let scalar): text(scalar)
        case .maybe(let scalar): below(3) == 0 ? "null" : text(scalar)
        case .isNull: "null"
        case .program(let program), .maybeProgram(let program), .superDecoder(let program): text(program)
        case .keyed(let members): object(members)
        case .unkeyed(let items): array(items)
        case .attempt(let item): below(2) == 0 ? text(pick(Program.Scalar.allCases)) : text(item)
        }
    }

    private mutating func text(_ scalar: Program.Scalar) -> String {
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
