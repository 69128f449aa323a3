/// The kit's decoder and encoder compared with Foundation's.
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

    /// Results below the promise.
    var problems: [String] {
        shapes.flatMap { shape in
            shape.decoding.problems("\(shape.shape), decoded") + (shape.encoding?.problems("\(shape.shape), encoded") ?? [])
        }
    }
}

/// One direction of a shape: medians of its rounds.
struct JSONSpeed: Codable {
    /// MB/s.
    let kit: Double
    let foundation: Double
    /// The speed relative to Foundation's.
    let ratio: Double
    /// Of the ratio. Missing in older records.
    let spread: Spread?
    let promised: Double?
    /// Per object, or per value if there are no objects.
    let allocations: Double
    let foundationAllocations: Double
    let allocationLimit: Double?

    fileprivate func problems(_ name: String) -> [String] {
        var problems: [String] = []
        if let promised, ratio < promised {
            problems.append("\(name): \(ratio) times the speed of Foundation's; the promise is \(promised)")
        }
        if let allocationLimit, allocations > allocationLimit {
            problems.append("\(name): \(allocations) allocations an object; the promise is at most \(allocationLimit)")
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

/// One line of BenchJSON's output.
struct JSONShape: Codable {
    let shape: String
    let title: String
    let bytes: Int
    let rounds: Int
    let decoding: JSONSpeed
    /// For encoding the decoded value.
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
