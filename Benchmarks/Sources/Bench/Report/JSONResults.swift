/// The decoder and the encoder beside Foundation's.
struct JSONResults: Codable {
    let date: String
    let load: String
    let shapes: [JSONShape]

    init?(_ shapes: [JSONShape], date: String, load: String) {
        if shapes.isEmpty { return nil }
        self.shapes = shapes
        self.date = date
        self.load = load
    }

    /// Where less is reached than is promised.
    var problems: [String] {
        shapes.flatMap { shape in
            shape.decoding.problems("\(shape.shape), decoded") + (shape.encoding?.problems("\(shape.shape), encoded") ?? [])
        }
    }
}

/// One way of a shape: medians of its rounds.
struct JSONSpeed: Codable {
    /// MB/s.
    let kit: Double
    let foundation: Double
    /// How many times as fast as Foundation's.
    let ratio: Double
    let promised: Double?
    /// For each object, or value where there are none.
    let allocations: Double
    let foundationAllocations: Double
    let allocationLimit: Double?

    fileprivate func problems(_ name: String) -> [String] {
        var problems: [String] = []
        if let promised, ratio < promised {
            problems.append("\(name): \(ratio) times the speed of Foundation's, promised are \(promised)")
        }
        if let allocationLimit, allocations > allocationLimit {
            problems.append("\(name): \(allocations) allocations an object, promised are at most \(allocationLimit)")
        }
        return problems
    }

    fileprivate var cells: [String] {
        [
            whole(kit), whole(foundation), digits(ratio), promised.map { digits($0) } ?? "–", digits(allocations),
            digits(foundationAllocations),
        ]
    }
}

/// One line of BenchJSON's.
struct JSONShape: Codable {
    let shape: String
    let title: String
    let bytes: Int
    let rounds: Int
    let decoding: JSONSpeed
    /// Of the value that was decoded.
    let encoding: JSONSpeed?
}

extension Table {
    init(_ results: JSONResults) {
        self.init(results, "JSONDecoder") { $0.decoding }
    }

    init(encoding results: JSONResults) {
        self.init(results, "JSONEncoder") { $0.encoding }
    }

    private init(_ results: JSONResults, _ foundation: String, _ speed: (JSONShape) -> JSONSpeed?) {
        heads = [
            "document", "bytes", "kit MB/s", "\(foundation) MB/s", "ratio", "promised", "mallocs an object", "\(foundation)'s",
        ]
        rows = results.shapes.compactMap { shape in
            speed(shape).map { [shape.title, whole(Double(shape.bytes))] + $0.cells }
        }
    }
}
