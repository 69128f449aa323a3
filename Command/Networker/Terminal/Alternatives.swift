extension [String] {
    /// `A`, `A or B`, `A, B or C`, for an error message. Always English, like the rest of the message.
    package var alternatives: String {
        guard let last, count > 1 else { return first ?? "" }
        return dropLast().joined(separator: ", ") + " or " + last
    }
}
