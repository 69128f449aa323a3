/// The decoder beside `JSONDecoder`.
struct DecodingResults: Codable {
    let date: String
    let load: String
    let shapes: [DecodingShape]

    init?(_ shapes: [DecodingShape], date: String, load: String) {
        if shapes.isEmpty { return nil }
        self.shapes = shapes
        self.date = date
        self.load = load
    }

    /// Where less is reached than is promised.
    var problems: [String] {
        shapes.flatMap { shape in
            var problems: [String] = []
            if let promised = shape.promised, shape.ratio < promised {
                problems.append("\(shape.shape): \(shape.ratio) times JSONDecoder's speed, promised are \(promised)")
            }
            if let limit = shape.allocationLimit, shape.allocations > limit {
                problems.append("\(shape.shape): \(shape.allocations) allocations an object, promised are at most \(limit)")
            }
            return problems
        }
    }
}

/// One line of BenchDecoding's: medians of its rounds.
struct DecodingShape: Codable {
    let shape: String
    let title: String
    let bytes: Int
    let rounds: Int
    /// MB/s.
    let kit: Double
    let foundation: Double
    /// MB/s of `JSONEncoder`, of the same value.
    let encoder: Double
    /// How many times as fast as `JSONDecoder`.
    let ratio: Double
    let promised: Double?
    /// For each object, or value where there are none.
    let allocations: Double
    let foundationAllocations: Double
    let allocationLimit: Double?
}

extension Table {
    init(_ decoding: DecodingResults) {
        heads = [
            "document", "bytes", "kit MB/s", "JSONDecoder MB/s", "ratio", "promised", "mallocs an object", "JSONDecoder's",
            "JSONEncoder MB/s",
        ]
        rows = decoding.shapes.map { shape in
            [
                shape.title, whole(Double(shape.bytes)), whole(shape.kit), whole(shape.foundation), digits(shape.ratio),
                shape.promised.map { digits($0) } ?? "–", digits(shape.allocations), digits(shape.foundationAllocations),
                whole(shape.encoder),
            ]
        }
    }
}
