extension Duration {
    /// A year, the longest time that the kit sleeps or adds to an instant: with the largest Duration both trap.
    package static var year: Duration { .seconds(365 * 86_400) }

    /// This time as a pause: at least zero, at most a ``year``.
    package var asPause: Duration { min(max(self, .zero), .year) }
}
