import Foundation

@testable import CoreAPICore

extension FuzzTarget {
    /// JSON (RFC 8259), beside Foundation's own reader.
    static let json = FuzzTarget(name: "json") { input in
        let data = input.data
        guard let value = try? JSONValue(parsing: data) else { return }
        expect((try? JSONDecoder().decode(Anything.self, from: data)) != nil, "Foundation takes it too")
        guard let written = try? JSONEncoder().encode(value) else { return expect(false, "what was read can be written") }
        guard let again = try? JSONValue(parsing: written) else { return expect(false, "what was written can be read") }
        expect(isSame(again, value), "the same value: \(value), \(again)")
    }

    /// A number may be told with fewer digits than it was written with, and then be one that a `Decimal` can hold.
    private static func isSame(_ left: JSONValue, _ right: JSONValue) -> Bool {
        switch (left, right) {
        case (.array(let left), .array(let right)):
            left.count == right.count && zip(left, right).allSatisfy { isSame($0, $1) }
        case (.object(let left), .object(let right)):
            left.count == right.count && left.allSatisfy { key, value in right[key].map { isSame(value, $0) } ?? false }
        case (.double, _), (_, .double): left.double == right.double
        default: left == right
        }
    }

    /// Well-formed and nothing else asked.
    private struct Anything: Decodable {
        init(from decoder: any Decoder) {}
    }
}
