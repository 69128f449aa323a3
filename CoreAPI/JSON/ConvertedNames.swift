/// Keys and what a strategy makes of them, remembered for one document.
final class ConvertedNames {
    private let convert: (String) -> String
    private var known: [String: String] = [:]

    init(_ convert: @escaping (String) -> String) {
        self.convert = convert
    }

    func converted(_ name: String) -> String {
        // Other strings can be equal and not the same.
        guard name.utf8.allSatisfy({ $0 < 0x80 }) else { return convert(name) }
        if let known = known[name] { return known }
        let converted = convert(name)
        known[name] = converted
        return converted
    }
}
