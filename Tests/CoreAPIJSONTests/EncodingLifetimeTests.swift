import CoreAPIJSON
import TestSupport

@Suite("Encoders that are kept, encodes within encodes, many at once, and limits")
struct EncodingLifetimeTests {
    private final class Keeper: Encodable {
        var encoder: (any Encoder)?
        var members: KeyedEncodingContainer<AnyKey>?
        var nested: KeyedEncodingContainer<AnyKey>?
        var items: (any UnkeyedEncodingContainer)?
        var parent: (any Encoder)?

        func encode(to encoder: any Encoder) throws {
            self.encoder = encoder
            var members = encoder.members()
            try members.encode("kept", forKey: "text")
            nested = members.nestedContainer(keyedBy: AnyKey.self, forKey: "nested")
            items = members.nestedUnkeyedContainer(forKey: "items")
            parent = members.superEncoder()
            self.members = members
        }

        func use() throws {
            try members?.encode(Flat(id: 1, name: "late", isActive: true), forKey: "late")
            try nested?.encode("late", forKey: "text")
            try items?.encode(["late"])
            var members = parent?.members()
            try members?.encode(1, forKey: "late")
            var again = encoder?.members()
            try again?.encode([1.5], forKey: "again")
            var nested = again?.nestedContainer(keyedBy: AnyKey.self, forKey: "nested")
            try nested?.encode(1, forKey: "late")
        }
    }

    @Test("writing after the encode has no effect")
    func escape() throws {
        let keepers = (0..<3).map { _ in Keeper() }
        let text = EncodeVerdict.of { try Encoders().ours.encode(keepers) }
        let item = #"{"items":[],"nested":{},"text":"kept"}"#
        #expect(text == .text("[\(item),\(item),\(item)]"))
        for keeper in keepers {
            // By now, freed memory would have been reused.
            for _ in 0..<50 { _ = try JSONBodyEncoder().encode((0..<50).map { "text \($0)" }) }
            try keeper.use()
            #expect(keeper.encoder?.codingPath.count == 1)
            #expect(keeper.nested?.codingPath.map(\.stringValue).last == "nested")
        }
    }

    @Test("writing to a finished sibling has no effect, as with JSONEncoder")
    func lateWithin() {
        let encoders = Encoders()
        func value() -> Act {
            Act { encoder in
                var items = encoder.unkeyedContainer()
                let keeper = Keeper()
                try items.encode(keeper)
                try keeper.use()
                try items.encode(keeper)
                try keeper.use()
                try items.encode(["after"])
            }
        }
        let ours = encoders.same(value())
        #expect(!ours.isFailure)
    }

    @Test("a type encodes another document within its own")
    func reentrancy() {
        let encoders = Encoders([.sortedKeys, .withoutEscapingSlashes])
        func value(_ encode: @escaping (Flat) throws -> Data) -> [Act] {
            (0..<3).map { number in
                Act {
                    var members = $0.members()
                    try members.encode(number, forKey: "before")
                    let inner = try encode(Flat(id: number, name: "/", isActive: true))
                    try members.encode(String(decoding: inner, as: UTF8.self), forKey: "inner")
                    #expect(throws: EncodingError.self) { try JSONBodyEncoder().encode(Double.nan) }
                    try members.encode(Flat(id: number, name: "after", isActive: false), forKey: "after")
                }
            }
        }
        let ours = EncodeVerdict.of { try encoders.ours.encode(value { try encoders.ours.encode($0) }) }
        let foundation = EncodeVerdict.of { try encoders.foundation.encode(value { try encoders.foundation.encode($0) }) }
        #expect(ours == foundation && !ours.isFailure)
    }

    @Test("one encoder in many tasks")
    func concurrency() async throws {
        let encoders = Encoders(dates: .iso8601, keys: .convertToSnakeCase)
        let values = (0..<50).map { Flat(id: $0, name: "n\($0)", price: 0.1, isActive: true, tags: ["é"]) }
        let expected = encoders.both(values).foundation
        await withTaskGroup(of: Bool.self) { group in
            for _ in 0..<16 {
                group.addTask { (0..<20).allSatisfy { _ in EncodeVerdict.of { try encoders.ours.encode(values) } == expected } }
            }
            for await isSame in group { #expect(isSame) }
        }
    }

    @Test("new types in many tasks at once")
    func firstMeetings() async {
        struct First: Encodable { var a = [Second(), Second()] }
        struct Second: Encodable { var b = ["x": Third(), "y": Third()] }
        struct Third: Encodable { var c: [[Fourth]]? = [[Fourth()], []] }
        struct Fourth: Encodable { var d: Fifth? = .one }
        enum Fifth: Int, Encodable { case one = 1 }
        let encoders = Encoders()
        let expected = EncodeVerdict.of { try encoders.foundation.encode(First()) }
        await withTaskGroup(of: EncodeVerdict.self) { group in
            for _ in 0..<32 { group.addTask { EncodeVerdict.of { try encoders.ours.encode(First()) } } }
            for await verdict in group { #expect(verdict == expected) }
        }
    }

    @Test("userInfo reaches every depth")
    func userInfo() throws {
        struct Informed: Encodable {
            let depth: Int
            func encode(to encoder: any Encoder) throws {
                var items = encoder.unkeyedContainer()
                let unit = CodingUserInfoKey(rawValue: "unit").flatMap { encoder.userInfo[$0] as? String }
                try items.encode(unit)
                if depth > 0 { try items.encode(Informed(depth: depth - 1)) }
            }
        }
        var encoder = JSONBodyEncoder()
        encoder.userInfo = [try #require(CodingUserInfoKey(rawValue: "unit")): "metre"]
        #expect(EncodeVerdict.of { try encoder.encode(Informed(depth: 2)) } == .text(#"["metre",["metre",["metre"]]]"#))
        #expect(EncodeVerdict.of { try JSONBodyEncoder().encode(Informed(depth: 0)) } == .text("[null]"))
    }

    private struct Deep: Encodable {
        let levels: Int
        var end: [Int]? = nil
        func encode(to encoder: any Encoder) throws {
            var items = encoder.unkeyedContainer()
            if levels > 1 { try items.encode(Deep(levels: levels - 1, end: end)) } else { try items.encode(end) }
        }
    }

    private struct Linked: Encodable {
        let levels: Int
        enum CodingKeys: CodingKey { case next }
        func encode(to encoder: any Encoder) throws {
            var members = encoder.container(keyedBy: CodingKeys.self)
            if levels > 1 { try members.encode(Linked(levels: levels - 1), forKey: .next) }
        }
    }

    @Test("at most 511 levels of nesting", arguments: [509, 510, 511, 512, 513])
    func depth(levels: Int) {
        let encoders = Encoders()
        for verdicts in [
            encoders.both(Deep(levels: levels)), encoders.both(Deep(levels: levels, end: [])),
            encoders.both(Linked(levels: levels)),
        ] { #expect(verdicts.ours == verdicts.foundation) }
        #expect(encoders.both(Linked(levels: levels)).ours.isFailure == (levels > 511))
    }

    /// On its own thread, with a small stack.
    private func onThread(stack: Int, _ body: @escaping @Sendable () -> EncodeVerdict) async -> EncodeVerdict {
        await withCheckedContinuation { continuation in
            let thread = Thread { continuation.resume(returning: body()) }
            thread.stackSize = stack
            thread.start()
        }
    }

    @Test("infinitely nested values are an error before the stack overflows")
    func endless() async {
        let deep = await onThread(stack: 4 << 20) { EncodeVerdict.of { try JSONBodyEncoder().encode(Deep(levels: .max)) } }
        #expect(deep == .failure("invalidValue Deep at []"))
        let linked = await onThread(stack: 4 << 20) { EncodeVerdict.of { try JSONBodyEncoder().encode(Linked(levels: .max)) } }
        #expect(linked == .failure("invalidValue Linked at []"))
    }

    @Test("JSONEncoder encodes values whose text is too large for the tree", arguments: [0, 10, 100, 999, 1_500, 4_000])
    func sizeLimit(limit: Int) {
        var encoders = Encoders()
        encoders.ours.sizeLimit = limit
        let values = (0..<200).map { Flat(id: $0, name: String(repeating: "x\n", count: $0), isActive: true, tags: ["é"]) }
        for verdicts in [
            encoders.both(values), encoders.both(["é": values, "a": []]), encoders.both(String(repeating: "/", count: 5_000)),
            encoders.both((0..<3_000).map { $0 }), encoders.both([values.map { [$0.name: $0.name] }]),
        ] {
            #expect(verdicts.ours == verdicts.foundation && !verdicts.ours.isFailure)
        }
        // JSONEncoder encodes the type once more.
        let calls = Shared(0)
        let counted = Act {
            _ = calls.next()
            try $0.single(String(repeating: "x", count: 5_000))
        }
        #expect(EncodeVerdict.of { try encoders.ours.encode(counted) } == .text("\"\(String(repeating: "x", count: 5_000))\""))
        #expect(calls.current == 2)
    }
}
