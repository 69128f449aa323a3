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
    func plain(_ string: String) {
        withUTF8(string) { utf8 in
            reserve(utf8.count)
            copy(utf8, to: text + count)
            count &+= utf8.count
        }
    }

    /// Avoids the copy that `String.withUTF8` makes.
    @inline(__always)
    private func withUTF8<Result>(_ string: String, _ body: (UnsafeBufferPointer<UInt8>) -> Result) -> Result {
        if let result = string.utf8.withContiguousStorageIfAvailable(body) { return result }
        var string = string
        return string.withUTF8(body)
    }

    func plain(_ string: StaticString) {
        string.withUTF8Buffer { utf8 in
            reserve(utf8.count)
            copy(utf8, to: text + count)
            count &+= utf8.count
        }
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
            let plain = plainPrefix(UnsafePointer(start), utf8.count)
            count &+= 1 &+ plain
            if plain < utf8.count { escape(UnsafeBufferPointer(rebasing: utf8[plain...])) }
            text[count] = Self.quote
            count &+= 1
        }
    }

    /// How many bytes come before the first that needs an escape.
    @inline(__always)
    private func plainPrefix(_ bytes: UnsafePointer<UInt8>, _ length: Int) -> Int {
        var offset = 0
        while offset < length {
            var special = special(SWAR.load(bytes + offset))
            if length &- offset < SWAR.size { special &= SWAR.mask(length &- offset) }
            if special != 0 { return offset &+ special.trailingZeroBitCount &>> 3 }
            offset &+= SWAR.size
        }
        return length
    }

    @inline(__always)
    private func special(_ word: UInt64) -> UInt64 {
        let special = SWAR.special(word)
        return escapesSlashes ? special | SWAR.slash(word) : special
    }

    /// - Parameter bytes: the first one needs an escape.
    @inline(never)
    private func escape(_ bytes: UnsafeBufferPointer<UInt8>) {
        guard let base = bytes.baseAddress else { return }
        var offset = 0
        while offset < bytes.count {
            let start = offset
            offset &+= plainWords(base + start, bytes.count &- start)
            let plain = UnsafeBufferPointer(start: base + start, count: offset &- start)
            reserve(plain.count &+ 6)
            copy(plain, to: text + count)
            count &+= plain.count
            guard offset < bytes.count else { return }
            escape(base[offset])
            offset &+= 1
        }
    }

    /// How many bytes come before the first that needs an escape, or before the last, incomplete word.
    @inline(__always)
    private func plainWords(_ bytes: UnsafePointer<UInt8>, _ length: Int) -> Int {
        var offset = 0
        while length &- offset >= SWAR.size {
            let special = special(SWAR.load(bytes + offset))
            if special != 0 { return offset &+ special.trailingZeroBitCount &>> 3 }
            offset &+= SWAR.size
        }
        return offset
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
            plain("\\u00")
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
            guard isPlainASCII(UnsafePointer(start), utf8.count) else {
                return oddKey(String(decoding: utf8, as: UTF8.self))
            }
            start[utf8.count] = Self.quote
            start[utf8.count &+ 1] = UInt8(ascii: ":")
            count = first &+ utf8.count &+ 3
            return KeyText(start: first, end: count)
        }
    }

    @inline(__always)
    private func isPlainASCII(_ bytes: UnsafePointer<UInt8>, _ length: Int) -> Bool {
        var offset = 0
        while offset < length {
            let word = SWAR.load(bytes + offset)
            var odd = special(word) | word & SWAR.highs
            if length &- offset < SWAR.size { odd &= SWAR.mask(length &- offset) }
            if odd != 0 { return false }
            offset &+= SWAR.size
        }
        return true
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
