import Foundation
import Measure

/// The files that the scenarios request, the same in every run.
enum SampleData {
    private static let words = [
        "Linen", "Bag", "Cotton", "Shirt", "Winter", "Coat", "Desk", "Lamp", "Trail", "Shoe", "Olive", "Soap",
    ]

    private static func item(_ number: Int) -> Item {
        let name = (0..<3).map { words[(number * (3 + $0 * 2) + $0 * 5) % words.count] }.joined(separator: " ")
        return Item(
            id: 100_000 + number, name: name, price: Double(999 + number * 37 % 90_000) / 100, inStock: number % 3 != 0,
            rating: Double(10 + number % 40) / 10, category: words[number % words.count].lowercased())
    }

    /// The lowest count of items whose JSON is at least that large.
    private static func fill<Value: Encodable>(_ bytes: Int, _ make: ([Item]) -> Value) throws -> Data {
        let encoder = JSONEncoder()
        encoder.outputFormatting = .sortedKeys
        var items: [Item] = []
        while true {
            let data = try encoder.encode(make(items))
            if data.count >= bytes { return data }
            let missing = max(1, (bytes - data.count) / 128)
            items += (items.count..<items.count + missing).map(item)
        }
    }

    private static func events() throws -> Data {
        let encoder = JSONEncoder()
        encoder.outputFormatting = .sortedKeys
        let tick = String(decoding: try encoder.encode(Tick(symbol: "THYAO", price: 311.25, volume: 18_200)), as: UTF8.self)
        let block = Data(String(repeating: "id: 1234567\nevent: tick\ndata: \(tick)\n\n", count: 1_000).utf8)
        return (0..<Scenario.eventCount / 1_000).reduce(into: Data()) { all, _ in all += block }
    }

    static func write(to directory: URL) throws {
        try FileManager.default.createDirectory(at: directory, withIntermediateDirectories: true)
        try Data(repeating: UInt8(ascii: "a"), count: 1024).write(to: directory.appendingPathComponent("1k"))
        try Data(repeating: UInt8(ascii: "b"), count: 8 << 20).write(to: directory.appendingPathComponent("flood"))
        try events().write(to: directory.appendingPathComponent("events"))
        let large = directory.appendingPathComponent("large")
        try Data().write(to: large)
        // Without blocks on the disk; it is read as zeros.
        guard truncate(large.path, off_t(Scenario.largeSize)) == 0 else { throw CocoaError(.fileWriteOutOfSpace) }
        try fill(100 * 1024) { $0 }.write(to: directory.appendingPathComponent("items.json"))
        try fill(1000) { Page(page: 1, total: 4_096, items: $0) }.write(to: directory.appendingPathComponent("page.json"))
    }
}
