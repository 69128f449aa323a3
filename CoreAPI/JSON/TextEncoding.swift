internal import Foundation

/// The encoding of a document, detected by its first bytes (RFC 4627 §3) as in Foundation.
struct TextEncoding {
    /// `nil` for UTF-8.
    let encoding: String.Encoding?
    let markLength: Int

    init(of text: UnsafeRawBufferPointer) {
        let bytes = text.prefix(4).map { $0 }
        func byte(_ offset: Int) -> UInt8? { offset < bytes.count ? bytes[offset] : nil }
        let found: (String.Encoding?, Int) =
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
        (encoding, markLength) = found
    }

    /// Whether a document begins with two bytes of ASCII, and so is UTF-8.
    @inline(__always)
    static func isPlain(_ first: UInt8, _ second: UInt8) -> Bool {
        first &- 1 < 0x7F && second &- 1 < 0x7F
    }
}
