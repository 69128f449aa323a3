extension [String] {
    /// `A`, `A or B`, `A, B or C`: what an error message offers. In English whatever the locale, as the rest of the message is.
    var alternatives: String {
        guard let last, count > 1 else { return first ?? "" }
        return dropLast().joined(separator: ", ") + " or " + last
    }
}
