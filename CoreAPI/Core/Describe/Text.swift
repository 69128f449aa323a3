extension String {
    /// A number with zeros before it, up to the width.
    init(_ number: some BinaryInteger, radix: Int, width: Int) {
        let digits = String(number, radix: radix)
        self = String(repeating: "0", count: Swift.max(0, width - digits.utf8.count)) + digits
    }

    /// Replaces scalars, also those that a combining mark makes a part of another character.
    func replacingScalars(_ replacements: [Unicode.Scalar: String]) -> String {
        unicodeScalars.reduce(into: "") { text, scalar in
            if let other = replacements[scalar] { text += other } else { text.unicodeScalars.append(scalar) }
        }
    }
}
