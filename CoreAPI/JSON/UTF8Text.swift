/// Strings from UTF-8.
///
/// The standard library validates every byte of a text that is not all ASCII. Here it validates only the stretches beyond ASCII;
/// the rest is checked eight bytes at a time.
enum UTF8Text {
    /// - Parameter isASCII: whether the text is known to be ASCII.
    /// - Returns: `nil` for invalid UTF-8.
    @inline(__always)
    static func string(_ text: UnsafeBufferPointer<UInt8>, isASCII: Bool) -> String? {
        guard isASCII || isValid(text) else { return nil }
        return string(valid: text, isASCII: isASCII)
    }

    /// - Parameter text: valid UTF-8, which is not checked again.
    @inline(__always)
    static func string(valid text: UnsafeBufferPointer<UInt8>, isASCII: Bool) -> String {
        if #available(macOS 26, iOS 26, tvOS 26, watchOS 26, visionOS 26, *) {
            return String(copying: UTF8Span(unchecked: text.span, isKnownASCII: isASCII))
        }
        return String(decoding: text, as: UTF8.self)
    }

    /// - Parameter text: followed by seven readable bytes.
    static func isValid(_ text: UnsafeBufferPointer<UInt8>) -> Bool {
        guard let bytes = text.baseAddress else { return true }
        var offset = 0
        while offset < text.count {
            let others = SWAR.load(bytes + offset) & SWAR.highs
            guard others != 0 else {
                offset &+= SWAR.size
                continue
            }
            let start = offset &+ others.trailingZeroBitCount &>> 3
            // No sequence continues after a byte of ASCII, so a stretch may end before one.
            offset = start
            repeat { offset &+= SWAR.size } while offset < text.count && SWAR.load(bytes + offset) & SWAR.highs != 0
            guard start < text.count else { return true }
            guard isScalars(UnsafeBufferPointer(rebasing: text[start..<min(offset, text.count)])) else { return false }
        }
        return true
    }

    private static func isScalars(_ text: UnsafeBufferPointer<UInt8>) -> Bool {
        if #available(macOS 26, iOS 26, tvOS 26, watchOS 26, visionOS 26, *) {
            return (try? UTF8Span(validating: text.span)) != nil
        }
        return String(validating: text, as: UTF8.self) != nil
    }
}
