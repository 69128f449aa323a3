extension Sequence<UInt8> {
    /// Two lowercase digits for each byte.
    package var hexadecimal: String {
        reduce(into: "") { $0 += ($1 < 16 ? "0" : "") + String($1, radix: 16) }
    }
}
