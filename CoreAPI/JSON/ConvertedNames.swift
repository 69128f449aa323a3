/// The keys that a strategy has converted, cached for one document.
final class ConvertedNames {
    private let convert: (String) -> String
    private var known: [String: String] = [:]

    init(_ convert: @escaping (String) -> String) {
        self.convert = convert
    }

    func converted(_ name: String) -> String {
        // Not cached beyond ASCII: equal strings may differ in bytes.
        guard name.utf8.allSatisfy({ $0 < 0x80 }) else { return convert(name) }
        if let known = known[name] { return known }
        let converted = convert(name)
        known[name] = converted
        return converted
    }
}
