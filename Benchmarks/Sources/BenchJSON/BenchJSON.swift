import Allocations
import Foundation

/// Compares the kit's decoder and encoder with Foundation's, on the same types in the same rounds. Prints a line of JSON for
/// each shape; Bench makes tables of them.
///
///     BenchJSON [ROUNDS [SHAPE …]]
@main
struct BenchJSON {
    static func main() throws {
        let arguments = CommandLine.arguments.dropFirst()
        let rounds = max(1, arguments.first.flatMap { Int($0) } ?? 9)
        let wanted = Set(arguments.dropFirst())
        let shapes = try Shape.all().filter { wanted.isEmpty || wanted.contains($0.name) }
        var series = try shapes.map { try Series($0) }
        for _ in 0..<rounds {
            for place in series.indices { try series[place].measure() }
        }
        let encoder = JSONEncoder()
        encoder.outputFormatting = .sortedKeys
        for line in try series.map({ try $0.line() }) { print(String(decoding: try encoder.encode(line), as: UTF8.self)) }
    }
}

/// Bench reads this line.
private struct Line: Encodable {
    let shape: String
    let title: String
    let bytes: Int
    let rounds: Int
    let decoding: Speed
    let encoding: Speed
}

private struct Speed: Encodable {
    /// MB/s.
    let kit: Double
    let foundation: Double
    let ratio: Double
    let spread: Spread
    let promised: Double?
    let allocations: Double
    let foundationAllocations: Double
    let allocationLimit: Double?
}

/// The lowest and the highest round.
private struct Spread: Encodable {
    let lowest: Double
    let highest: Double
}

/// The rounds of one shape.
private struct Series {
    private let shape: Shape
    private var decoding: Rounds
    private var encoding: Rounds

    init(_ shape: Shape) throws {
        self.shape = shape
        decoding = try Rounds(shape.decoding)
        encoding = try Rounds(shape.encoding)
    }

    mutating func measure() throws {
        try decoding.measure()
        try encoding.measure()
    }

    func line() throws -> Line {
        Line(
            shape: shape.name, title: shape.title, bytes: shape.decoding.bytes, rounds: decoding.count,
            decoding: try decoding.speed(objects: shape.objects), encoding: try encoding.speed(objects: shape.objects))
    }
}

private struct Rounds {
    private let direction: Direction
    /// The time of one round: several milliseconds.
    private let repetitions: (kit: Int, foundation: Int)
    /// Seconds per document.
    private var kit: [Double] = []
    private var foundation: [Double] = []

    init(_ direction: Direction) throws {
        self.direction = direction
        let once = max(try Self.seconds(1, direction.kit), 1e-7)
        let slower = max(try Self.seconds(1, direction.foundation), 1e-7)
        repetitions = (max(1, Int(0.012 / once)), max(1, Int(0.024 / slower)))
    }

    var count: Int { kit.count }

    mutating func measure() throws {
        // The second run of each begins with the caches and the allocator as the first left them.
        _ = try Self.seconds(max(1, repetitions.kit / 4), direction.kit)
        kit.append(try Self.seconds(repetitions.kit, direction.kit))
        foundation.append(try Self.seconds(repetitions.foundation, direction.foundation))
    }

    func speed(objects: Int) throws -> Speed {
        let ratios = zip(foundation, kit).map { $0 / $1 }
        return Speed(
            kit: speed(kit), foundation: speed(foundation), ratio: Self.median(ratios),
            spread: Spread(lowest: ratios.min() ?? 0, highest: ratios.max() ?? 0),
            promised: direction.promised, allocations: try allocations(direction.kit, objects),
            foundationAllocations: try allocations(direction.foundation, objects), allocationLimit: direction.allocationLimit)
    }

    private func speed(_ seconds: [Double]) -> Double { Double(direction.bytes) / Self.median(seconds) / 1e6 }

    /// Per object.
    private func allocations(_ run: (Int) throws -> Void, _ objects: Int) throws -> Double {
        let before = allocations_count()
        try run(10)
        return Double(allocations_count() - before) / Double(10 * objects)
    }

    private static func median(_ values: [Double]) -> Double {
        let sorted = values.sorted()
        return (sorted[(sorted.count - 1) / 2] + sorted[sorted.count / 2]) / 2
    }

    /// This thread's processor time, which other programs affect less than wall time.
    private static func seconds(_ count: Int, _ run: (Int) throws -> Void) throws -> Double {
        let before = now()
        try run(count)
        return (now() - before) / Double(count)
    }

    private static func now() -> Double {
        var time = timespec()
        clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time)
        return Double(time.tv_sec) + Double(time.tv_nsec) / 1e9
    }
}
