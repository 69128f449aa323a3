import Foundation

/// Indents JSON and changes nothing else. The server's order, numbers and escapes stay; a decoder and an encoder could change
/// them. Only characters that control a terminal become escapes.
enum JSONIndenter {
    /// The indented text; `nil` if the text is not JSON.
    static func indented(_ data: Data) -> String? {
        guard (try? JSONSerialization.jsonObject(with: data, options: .fragmentsAllowed)) != nil,
            let text = String(validating: data, as: UTF8.self)
        else { return nil }
        var walk = Walk()
        for byte in text.escapingControlsOfJSON.utf8 { walk.take(byte) }
        return String(decoding: walk.output, as: UTF8.self)
    }

    private struct Walk {
        /// Deeper levels get no further indentation. Otherwise a small body of many brackets would become a large one of
        /// spaces.
        static let depthLimit = 16
        var output: [UInt8] = []
        var depth = 0
        var isInString = false
        var isEscaped = false
        /// A bracket is open and still empty; an empty pair of brackets stays on its line.
        var isJustOpened = false

        mutating func take(_ byte: UInt8) {
            if isInString {
                output.append(byte)
                if isEscaped {
                    isEscaped = false
                } else if byte == UInt8(ascii: "\\") {
                    isEscaped = true
                } else if byte == UInt8(ascii: "\"") {
                    isInString = false
                }
                return
            }
            switch byte {
            case 0x20, 0x09, 0x0A, 0x0D: return
            case UInt8(ascii: "}"), UInt8(ascii: "]"):
                depth -= 1
                if !isJustOpened { breakLine() }
                isJustOpened = false
                output.append(byte)
                return
            default: break
            }
            if isJustOpened { breakLine() }
            isJustOpened = false
            output.append(byte)
            switch byte {
            case UInt8(ascii: "{"), UInt8(ascii: "["):
                depth += 1
                isJustOpened = true
            case UInt8(ascii: ","): breakLine()
            case UInt8(ascii: ":"): output.append(UInt8(ascii: " "))
            case UInt8(ascii: "\""): isInString = true
            default: break
            }
        }

        private mutating func breakLine() {
            output.append(UInt8(ascii: "\n"))
            output.append(contentsOf: repeatElement(UInt8(ascii: " "), count: 2 * min(max(0, depth), Self.depthLimit)))
        }
    }
}
