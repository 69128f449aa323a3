internal import Foundation

/// Strings from UTF-8.
///
/// The standard library validates every byte of a text that is not all ASCII. Here it validates only the stretches beyond ASCII;
/// the rest is checked eight bytes at a time.
enum UTF8Text {
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
            let start = offset &+ SWAR.index(others)
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

/// The encoding of a document, detected by its first bytes (RFC 4627 §3) as in Foundation.
struct TextEncoding {
    /// `nil` for UTF-8.
    let encoding: String.Encoding?
    let markLength: Int

    init(of text: UnsafeRawBufferPointer) {
        // Two bytes of ASCII begin UTF-8.
        if text.count >= 2, text[0] &- 1 < 0x7F, text[1] &- 1 < 0x7F {
            (encoding, markLength) = (nil, 0)
            return
        }
        let bytes = text.prefix(4).map { $0 }
        func byte(_ offset: Int) -> UInt8? { offset < bytes.count ? bytes[offset] : nil }
        (encoding, markLength) =
            switch (byte(0), byte(1), byte(2), byte(3)) {
            case (0, 0, 0xFE, 0xFF): (.utf32BigEndian, 4)
            case (0xFE, 0xFF, 0, 0): (.utf32LittleEndian, 4)
            case (0xFE, 0xFF, _, _): (.utf16BigEndian, 2)
            case (0xFF, 0xFE, _, _): (.utf16LittleEndian, 2)
            case (0xEF, 0xBB, 0xBF, _): (nil, 3)
            case (0, 0, 0, let last?) where last != 0: (.utf32BigEndian, 0)
            case (0, let second?, 0, let last?) where second != 0 && last != 0: (.utf16BigEndian, 0)
            case (let first?, 0, 0, 0) where first != 0: (.utf32LittleEndian, 0)
            case (let first?, 0, let third?, 0) where first != 0 && third != 0: (.utf16LittleEndian, 0)
            // A single digit.
            case (0, let second?, nil, nil) where second != 0: (.utf16BigEndian, 0)
            case (let first?, 0, nil, nil) where first != 0: (.utf16LittleEndian, 0)
            default: (nil, 0)
            }
    }
}
