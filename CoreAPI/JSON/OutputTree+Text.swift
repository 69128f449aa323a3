internal import Foundation

/// Strings and keys.
extension OutputTree {
    @inline(__always)
    func byte(_ byte: UInt8) {
        reserve(1)
        text[count] = byte
        count &+= 1
    }

    /// Text that needs no escapes.
    @inline(__always)
    func plain(_ string: String) { withUTF8(string) { append($0) } }
    func literal(_ string: StaticString) { string.withUTF8Buffer { append($0) } }

    @inline(__always)
    private func append(_ utf8: UnsafeBufferPointer<UInt8>) {
        reserve(utf8.count)
        copy(utf8, to: text + count)
        count &+= utf8.count
    }

    /// Avoids the copy that `String.withUTF8` makes.
    @inline(__always)
    private func withUTF8<Result>(_ string: String, _ body: (UnsafeBufferPointer<UInt8>) -> Result) -> Result {
        if let result = string.utf8.withContiguousStorageIfAvailable(body) { return result }
        var string = string
        return string.withUTF8(body)
    }

    @inline(__always)
    private func copy(_ bytes: UnsafeBufferPointer<UInt8>, to destination: UnsafeMutablePointer<UInt8>) {
        guard let base = bytes.baseAddress else { return }
        let (source, target, length) = (UnsafeRawPointer(base), UnsafeMutableRawPointer(destination), bytes.count)
        // For short texts, two overlapping words cost less than a call.
        if length > 16 {
            target.copyMemory(from: source, byteCount: length)
        } else if length >= 8 {
            let last = source.loadUnaligned(fromByteOffset: length &- 8, as: UInt64.self)
            target.storeBytes(of: source.loadUnaligned(as: UInt64.self), as: UInt64.self)
            target.storeBytes(of: last, toByteOffset: length &- 8, as: UInt64.self)
        } else if length >= 4 {
            let last = source.loadUnaligned(fromByteOffset: length &- 4, as: UInt32.self)
            target.storeBytes(of: source.loadUnaligned(as: UInt32.self), as: UInt32.self)
            target.storeBytes(of: last, toByteOffset: length &- 4, as: UInt32.self)
        } else {
            for index in 0..<length { destination[index] = base[index] }
        }
    }

    /// A string in quotes.
    @inline(__always)
    func string(_ string: String) {
        withUTF8(string) { utf8 in
            reserve(utf8.count &+ 2)
            let start = text + count + 1
            start[-1] = Self.quote
            copy(utf8, to: start)
            // Whole words may be read, because the text has padding.
            let plain = plainPrefix(start, utf8.count)
            count &+= 1 &+ plain
            if plain < utf8.count { escape(UnsafeBufferPointer(rebasing: utf8[plain...])) }
            text[count] = Self.quote
            count &+= 1
        }
    }

    /// How many bytes come before the first that needs an escape, or that has one of the given bits.
    ///
    /// - Parameter bytes: followed by seven readable bytes.
    @inline(__always)
    private func plainPrefix(_ bytes: UnsafePointer<UInt8>, _ length: Int, besides bits: UInt64 = 0) -> Int {
        let offset = plainWords(bytes, length, besides: bits)
        guard length &- offset < SWAR.size else { return offset }
        let word = SWAR.load(bytes + offset)
        let special = (special(word) | word & bits) & SWAR.mask(length &- offset)
        return special == 0 ? length : offset &+ SWAR.index(special)
    }

    /// The same, but ends before the last, incomplete word.
    @inline(__always)
    private func plainWords(_ bytes: UnsafePointer<UInt8>, _ length: Int, besides bits: UInt64 = 0) -> Int {
        var offset = 0
        while length &- offset >= SWAR.size {
            let word = SWAR.load(bytes + offset)
            let special = special(word) | word & bits
            if special != 0 { return offset &+ SWAR.index(special) }
            offset &+= SWAR.size
        }
        return offset
    }

    @inline(__always)
    private func special(_ word: UInt64) -> UInt64 {
        let special = SWAR.special(word)
        return escapesSlashes ? special | SWAR.find(UInt64(UInt8(ascii: "/")), in: word) : special
    }

    /// - Parameter bytes: the first one needs an escape.
    @inline(never)
    private func escape(_ bytes: UnsafeBufferPointer<UInt8>) {
        guard let base = bytes.baseAddress else { return }
        var offset = 0
        while offset < bytes.count {
            let start = offset
            offset &+= plainWords(base + start, bytes.count &- start)
            append(UnsafeBufferPointer(start: base + start, count: offset &- start))
            guard offset < bytes.count else { return }
            reserve(6)
            escape(base[offset])
            offset &+= 1
        }
    }

    @inline(__always)
    private func escape(_ byte: UInt8) {
        switch byte {
        case Self.quote, Self.backslash: pair(byte)
        case UInt8(ascii: "/") where escapesSlashes: pair(byte)
        case 0x08: pair(UInt8(ascii: "b"))
        case 0x09: pair(UInt8(ascii: "t"))
        case 0x0A: pair(UInt8(ascii: "n"))
        case 0x0C: pair(UInt8(ascii: "f"))
        case 0x0D: pair(UInt8(ascii: "r"))
        case 0..<0x20:
            literal("\\u00")
            text[count] = UInt8(ascii: "0") &+ byte &>> 4
            text[count &+ 1] = byte & 15 < 10 ? UInt8(ascii: "0") &+ byte & 15 : UInt8(ascii: "a") &- 10 &+ byte & 15
            count &+= 2
        default:
            text[count] = byte
            count &+= 1
        }
    }

    /// Needs room for two bytes.
    @inline(__always)
    private func pair(_ byte: UInt8) {
        text[count] = Self.backslash
        text[count &+ 1] = byte
        count &+= 2
    }

    // MARK: - Keys

    /// A key in quotes and its colon.
    @inline(__always)
    func key(_ name: String) -> KeyText {
        withUTF8(name) { utf8 in
            reserve(utf8.count &+ 3)
            let first = count
            let start = text + first + 1
            start[-1] = Self.quote
            copy(utf8, to: start)
            guard plainPrefix(start, utf8.count, besides: SWAR.highs) == utf8.count else {
                return oddKey(String(decoding: utf8, as: UTF8.self))
            }
            start[utf8.count] = Self.quote
            start[utf8.count &+ 1] = UInt8(ascii: ":")
            count = first &+ utf8.count &+ 3
            return KeyText(start: first, end: count)
        }
    }

    @inline(never)
    private func oddKey(_ name: String) -> KeyText {
        oddNames.append(name)
        // Reserved first, because `reserve` may reset `count`.
        reserve(name.utf8.count + 3)
        let start = count
        string(name)
        byte(UInt8(ascii: ":"))
        return KeyText(start: start, end: count, oddName: UInt32(truncatingIfNeeded: oddNames.count))
    }

    private static var quote: UInt8 { UInt8(ascii: "\"") }
    private static var backslash: UInt8 { UInt8(ascii: "\\") }
}

/// Numbers, as Swift's `description` writes them.
extension OutputTree {
    @inline(__always)
    func integer<Integer: FixedWidthInteger>(_ value: Integer) {
        if Integer.bitWidth > 64, value.magnitude > UInt64.max { return plain(String(value)) }
        reserve(24)
        if value < 0 {
            text[count] = UInt8(ascii: "-")
            count &+= 1
        }
        digits(UInt64(truncatingIfNeeded: value.magnitude))
    }

    /// Needs room for 20 digits.
    @inline(__always)
    private func digits(_ number: UInt64) {
        let length = Self.length(number)
        count &+= length
        var cursor = text + count
        var rest = number
        while rest >= 100 {
            let pair = rest % 100
            rest /= 100
            cursor -= 2
            Self.pair(pair, cursor)
        }
        if rest >= 10 {
            Self.pair(rest, cursor - 2)
        } else {
            cursor[-1] = UInt8(ascii: "0") &+ UInt8(truncatingIfNeeded: rest)
        }
    }

    @inline(__always)
    static func pair(_ number: UInt64, _ target: UnsafeMutablePointer<UInt8>) {
        let tens = (number &* 103) &>> 10
        target[0] = UInt8(ascii: "0") &+ UInt8(truncatingIfNeeded: tens)
        target[1] = UInt8(ascii: "0") &+ UInt8(truncatingIfNeeded: number &- tens &* 10)
    }

    @inline(__always)
    private static func length(_ number: UInt64) -> Int {
        var (length, limit) = (1, 10 as UInt64)
        while number >= limit {
            length &+= 1
            // A `UInt64` has at most 20 digits.
            if length == 20 { break }
            limit &*= 10
        }
        return length
    }

    // MARK: - Floating-point numbers

    /// - Parameter value: finite.
    func double(_ value: Double) {
        if fixed(value) { return }
        described(value.description)
    }

    @inline(never)
    func nonConforming(_ value: some BinaryFloatingPoint, _ path: () -> [any CodingKey]) throws {
        guard case .convertToString(let positive, let negative, let nan) = settings.nonConformingFloatEncodingStrategy else {
            throw Self.nonConforming(value, path())
        }
        string(value.isNaN ? nan : value > 0 ? positive : negative)
    }

    static func nonConforming(_ value: some BinaryFloatingPoint, _ path: [any CodingKey]) -> EncodingError {
        .invalidValue(value, .init(codingPath: path, debugDescription: "expected a finite number, found \(value)"))
    }

    /// - Parameter text: the description of a finite number.
    func described(_ text: String) {
        plain(text)
        // Whole numbers have no fraction.
        if text.utf8.count > 2, text.utf8.suffix(2).elementsEqual(".0".utf8) { count &-= 2 }
    }

    /// Writes numbers with few decimals, such as prices.
    ///
    /// A decimal of at most 15 digits is unique for its double. Without trailing zeros it is the shortest text.
    @inline(__always)
    private func fixed(_ value: Double) -> Bool {
        let magnitude = value.magnitude
        // Below 0.0001 `description` has an exponent. Negative zero keeps its sign.
        guard magnitude >= 1e-4 || value.bitPattern == 0, magnitude < 1e15 else { return false }
        let whole = UInt64(magnitude)
        guard Double(whole) == magnitude else {
            return decimals(value, magnitude, 2, 100) || decimals(value, magnitude, 6, 1_000_000)
        }
        if value < 0 { byte(UInt8(ascii: "-")) }
        integer(whole)
        return true
    }

    @inline(__always)
    private func decimals(_ value: Double, _ magnitude: Double, _ places: Int, _ scale: Double) -> Bool {
        let scaled = (magnitude * scale).rounded()
        // Both operands are exact, so the quotient is the double that the decimal becomes.
        guard scaled < 1e15, scaled / scale == magnitude else { return false }
        let (whole, fraction) = UInt64(scaled).quotientAndRemainder(dividingBy: UInt64(scale))
        if value < 0 { byte(UInt8(ascii: "-")) }
        integer(whole)
        var (rest, length) = (fraction, places)
        while rest % 10 == 0, length > 1 {
            rest /= 10
            length &-= 1
        }
        text[count] = UInt8(ascii: ".")
        for offset in stride(from: length, to: 0, by: -1) {
            text[count &+ offset] = UInt8(ascii: "0") &+ UInt8(truncatingIfNeeded: rest % 10)
            rest /= 10
        }
        count &+= length &+ 1
        return true
    }
}
