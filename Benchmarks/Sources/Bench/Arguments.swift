/// Arguments of the form `--name value`, and flags.
struct Arguments {
    private var values: [String: String] = [:]
    private var flags: Set<String> = []

    init(_ words: ArraySlice<String>, flags known: Set<String>) throws {
        var words = words
        while let word = words.popFirst() {
            let name = String(word.dropFirst(2))
            guard word.hasPrefix("--") else { throw UsageProblem("unknown argument \"\(word)\"") }
            if known.contains(name) {
                flags.insert(name)
            } else if let value = words.popFirst() {
                values[name] = value
            } else {
                throw UsageProblem("\(word) needs a value")
            }
        }
    }

    func has(_ flag: String) -> Bool { flags.contains(flag) }

    func optional(_ name: String) -> String? { values[name] }

    func text(_ name: String) throws -> String {
        guard let value = values[name] else { throw UsageProblem("--\(name) is missing") }
        return value
    }

    func number(_ name: String) throws -> Int {
        guard let number = Int(try text(name)), number >= 0 else { throw UsageProblem("--\(name) needs a number") }
        return number
    }
}
