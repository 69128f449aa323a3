import TestSupport

@testable import NetworkerCommand

@Suite("Amounts for people")
struct ReadableAmountsTests {
    @Test(
        "durations have three digits and a unit",
        arguments: [
            (Duration.zero, "0 µs"), (.microseconds(870), "870 µs"), (.nanoseconds(999_499), "999 µs"),
            (.nanoseconds(999_600), "1.0 ms"), (.microseconds(1_240), "1.2 ms"), (.microseconds(99_940), "99.9 ms"),
            (.microseconds(99_960), "100 ms"),
            (.milliseconds(120), "120 ms"), (.microseconds(999_600), "1.00 s"), (.milliseconds(1_240), "1.24 s"),
            (.milliseconds(59_999), "1 min 0 s"), (.seconds(125), "2 min 5 s"), (.milliseconds(-5), "-5.0 ms"),
        ])
    func durations(duration: Duration, text: String) {
        #expect(duration.readable == text)
    }

    @Test(
        "bytes are counted in powers of 1,000",
        arguments: [
            (Int64(0), "0 B"), (999, "999 B"), (1_000, "1.0 kB"), (1_249, "1.2 kB"), (9_949, "9.9 kB"), (9_960, "10 kB"),
            (999_400, "999 kB"), (999_600, "1.0 MB"), (5_000_000_000, "5.0 GB"), (.max, "9223 PB"),
        ])
    func bytes(count: Int64, text: String) {
        #expect(count.readableBytes == text)
    }

    @Test("milliseconds for programs are exact to the microsecond")
    func milliseconds() {
        #expect(Duration.nanoseconds(1_234_567).milliseconds == 1.235)
    }

    @Test(
        "alternatives read as a sentence",
        arguments: [([], ""), (["A"], "A"), (["A", "B"], "A or B"), (["A", "B", "C"], "A, B or C")])
    func alternatives(words: [String], text: String) {
        #expect(words.alternatives == text)
    }
}
