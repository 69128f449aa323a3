/// Strings from UTF-8.
///
/// The standard library looks at every byte of a text that is not all ASCII, even when it is told that the text is right. Here it
/// looks at the stretches that are not; that the others are right is seen eight bytes at a time.
enum UTF8Text {
    /// - Parameter isASCII: whether there is nothing else in it; a text may be ASCII and not be called so.
    /// - Returns: `nil` for what is no UTF-8.
    @inline(__always)
    static func string(_ text: UnsafeBufferPointer<UInt8>, isASCII: Bool) -> String? {
        guard isASCII || isValid(text) else { return nil }
        return string(valid: text, isASCII: isASCII)
    }

    /// - Parameter text: UTF-8 for certain: this is not checked again.
    @inline(__always)
    static func string(valid text: UnsafeBufferPointer<UInt8>, isASCII: Bool) -> String {
        if #available(macOS 26, iOS 26, tvOS 26, watchOS 26, visionOS 26, *) {
            return String(copying: UTF8Span(unchecked: text.span, isKnownASCII: isASCII))
        }
        return String(decoding: text, as: UTF8.self)
    }

    /// - Parameter text: followed by seven bytes that may be read.
    static func isValid(_ text: UnsafeBufferPointer<UInt8>) -> Bool {
        guard let bytes = text.baseAddress else { return true }
        var place = 0
        while place < text.count {
            let others = SWAR.load(bytes + place) & SWAR.highs
            guard others != 0 else {
                place &+= SWAR.size
                continue
            }
            let start = place &+ others.trailingZeroBitCount &>> 3
            // No scalar goes on behind a byte of ASCII, so that a stretch may end before any.
            place = start
            repeat { place &+= SWAR.size } while place < text.count && SWAR.load(bytes + place) & SWAR.highs != 0
            guard start < text.count else { return true }
            guard isScalars(UnsafeBufferPointer(rebasing: text[start..<min(place, text.count)])) else { return false }
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
