extension String {
    /// How many combining marks in a row a key may have: as many as text that is safe for streams has (UAX #15, Stream-Safe Text
    /// Format), and far more than any language.
    package static let combiningMarkLimit = 30

    /// Whether there are more. The standard library sorts them whenever it compares or hashes a string, in time that grows with
    /// the square of their number: one key of 40 KB takes seconds, one of a megabyte an hour.
    package var hasEndlessCombiningMarks: Bool {
        // Each is two bytes at least.
        guard utf8.count > 2 * Self.combiningMarkLimit else { return false }
        var count = 0
        for scalar in unicodeScalars {
            let isMark = scalar.value >= 0x300 && scalar.properties.canonicalCombiningClass != .notReordered
            count = isMark ? count + 1 : 0
            if count > Self.combiningMarkLimit { return true }
        }
        return false
    }
}
