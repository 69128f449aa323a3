extension String {
    /// The most combining marks in a row that a key may have. Stream-Safe Text Format has the same limit (UAX #15); no language
    /// needs more.
    package static let combiningMarkLimit = 30

    /// Whether more combining marks follow each other. To compare or hash a string, the standard library sorts them in quadratic
    /// time: a key of 40 KB takes seconds, one of 1 MB an hour.
    package var hasEndlessCombiningMarks: Bool {
        // Each takes at least two bytes.
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
