package import CoreAPICore
internal import CoreAPIHTTP
package import Foundation
package import HTTPTypes

/// Reads a multipart body (RFC 2046 §5.1). Pure: no I/O, and the bytes may be cut anywhere.
///
/// A line end may be LF alone, as some mail software writes it. Preamble and epilogue are dropped.
package struct MultipartParser {
    package enum Item {
        case head(HTTPFields)
        case content(Data)
        case end
    }

    private enum State {
        case preamble, head, content, epilogue
    }

    /// The kind of the bytes that follow a boundary.
    private enum Delimiter {
        /// Another part begins at this index.
        case next(Int)
        case last
        /// Text that begins like the boundary, such as the boundary of a nested body.
        case none
        case unknown
    }

    /// The beginnings of a boundary's line: two if the parameter may already have the dashes of the lines. The first boundary
    /// decides.
    private var needles: [[UInt8]]
    private let limits: Body.PartLimits
    private var state = State.preamble
    private var buffer: [UInt8] = []
    /// The index of the first byte not yet delivered.
    private var start = 0
    /// The index at which the search for the next line continues.
    private var scanned = 0
    /// Whether `start` is the beginning of a line, so that a boundary may begin there.
    private var isAtLine = true
    private var isOpen = false
    private var parts = 0
    private var isBodyOver = false
    /// The bytes that were dropped before the first part and behind the last.
    private var dropped = 0
    private static let mostDropped = 1 << 20

    /// `boundary` is the parameter of the media type. Some cameras name `--b`, and write lines with `--b`.
    package init(boundary: String, limits: Body.PartLimits = Body.PartLimits()) throws(StreamError.Reason) {
        guard (1...200).contains(boundary.utf8.count), !boundary.utf8.contains(where: { $0 < 0x20 }) else {
            throw .noBoundary("a boundary of \(boundary.utf8.count) bytes")
        }
        needles = [Array("--\(boundary)".utf8)] + (boundary.hasPrefix("--") ? [Array(boundary.utf8)] : [])
        self.limits = limits
    }

    package var isComplete: Bool { state == .epilogue }
    package var isEpilogueTooLong: Bool { isComplete && dropped > Self.mostDropped }

    package mutating func feed(_ bytes: Data) {
        guard state != .epilogue else { return dropped += bytes.count }
        if start > 0 {
            buffer.removeFirst(start)
            scanned -= start
            start = 0
        }
        buffer += bytes
    }

    /// Tells the parser that no bytes follow; ``next()`` then gives the remaining items.
    package mutating func finish() { isBodyOver = true }

    /// The next item; `nil` if more bytes are needed, or after the end.
    package mutating func next() throws(StreamError.Reason) -> Item? {
        while true {
            if isOpen, state != .content {
                isOpen = false
                return .end
            }
            switch state {
            case .epilogue:
                buffer = []
                (start, scanned) = (0, 0)
                return nil
            case .head:
                guard let fields = try head() else { return try needMore() }
                (state, isOpen, isAtLine) = (.content, true, true)
                return .head(fields)
            case .preamble, .content:
                let (content, isFound) = advance()
                guard dropped <= Self.mostDropped else { throw .noBoundary("no part in the first \(dropped) bytes") }
                if isFound, state == .head {
                    parts += 1
                    guard parts <= limits.parts else { throw .tooManyParts(limit: limits.parts) }
                }
                if let content, isOpen { return .content(content) }
                if !isFound { return try needMore() }
            }
        }
    }

    private func needMore() throws(StreamError.Reason) -> Item? {
        if isBodyOver { throw .partWithoutEnd }
        return nil
    }

    /// Advances to the next boundary, or to the end of the bytes. Returns the bytes of the part before it.
    private mutating func advance() -> (Data?, isFound: Bool) {
        while true {
            // A boundary begins a line.
            var line = start
            if !isAtLine {
                guard let feed = buffer.withUnsafeBytes({ $0.index(of: 0x0A, from: max(scanned, start)) }) else {
                    // The last byte may be the CR of a boundary's line.
                    let end = buffer.count - (buffer.count > start && buffer[buffer.count - 1] == 0x0D ? 1 : 0)
                    scanned = buffer.count
                    return (take(upTo: end), false)
                }
                line = feed + 1
            }
            let found = delimiter(at: line)
            if case .none = found {
                (isAtLine, scanned) = (false, line)
                continue
            }
            let content = isAtLine ? nil : take(upTo: contentEnd(before: line))
            switch found {
            case .next(let after): (start, scanned, state) = (after, after, .head)
            case .last: state = .epilogue
            case .none, .unknown:
                scanned = max(start, line - 1)
                return (content, false)
            }
            return (content, true)
        }
    }

    /// The end of the content before a line. The line end before a boundary belongs to the boundary.
    private func contentEnd(before line: Int) -> Int {
        let feed = line - 1
        return feed > start && buffer[feed - 1] == 0x0D ? feed - 1 : feed
    }

    private mutating func take(upTo end: Int) -> Data? {
        guard end > start else { return nil }
        defer { start = end }
        guard isOpen else {
            dropped += end - start
            return nil
        }
        return Data(buffer[start..<end])
    }

    private mutating func delimiter(at line: Int) -> Delimiter {
        for needle in needles {
            let found = delimiter(needle, at: line)
            switch found {
            case .none: continue
            case .unknown: return found
            case .next, .last:
                needles = [needle]
                return found
            }
        }
        return .none
    }

    private func delimiter(_ needle: [UInt8], at line: Int) -> Delimiter {
        let beginning = buffer[line...].prefix(needle.count)
        guard needle.starts(with: beginning) else { return .none }
        guard beginning.count == needle.count else { return isBodyOver ? .none : .unknown }
        var rest = buffer[beginning.endIndex...]
        let isLast = rest.starts(with: "--".utf8)
        if isLast {
            rest = rest.dropFirst(2)
        } else if rest.elementsEqual("-".utf8) {
            return isBodyOver ? .none : .unknown
        }
        // Transport padding (RFC 2046 §5.1.1).
        let padding = rest.prefix { $0 == 0x20 || $0 == 0x09 }
        guard padding.count <= 1_024 else { return .none }
        rest = rest[padding.endIndex...]
        if rest.first == 0x0D { rest = rest.dropFirst() }
        guard let end = rest.first else { return isBodyOver ? (isLast ? .last : .none) : .unknown }
        guard end == 0x0A else { return .none }
        return isLast ? .last : .next(rest.startIndex + 1)
    }

    private mutating func head() throws(StreamError.Reason) -> HTTPFields? {
        // Without their folds.
        var lines: [[UInt8]] = []
        var (count, position) = (0, start)
        while let feed = buffer.withUnsafeBytes({ $0.index(of: 0x0A, from: position) }) {
            guard feed - start <= limits.headSize, count < limits.headLines else {
                throw .partHeadTooLarge(limit: limits.headSize)
            }
            let end = feed > position && buffer[feed - 1] == 0x0D ? feed - 1 : feed
            let line = buffer[position..<end]
            (count, position) = (count + 1, feed + 1)
            if line.isEmpty {
                (start, scanned) = (position, position)
                return try Self.fields(lines)
            }
            if !lines.isEmpty, line.first == 0x20 || line.first == 0x09 {
                lines[lines.count - 1] += line
            } else {
                lines.append(Array(line))
            }
        }
        guard buffer.count - start <= limits.headSize else { throw .partHeadTooLarge(limit: limits.headSize) }
        return nil
    }

    private static func fields(_ lines: [[UInt8]]) throws(StreamError.Reason) -> HTTPFields {
        var fields = HTTPFields()
        for line in lines {
            guard let colon = line.firstIndex(of: UInt8(ascii: ":")) else {
                throw .malformedPartHead("expected 'name: value', found a line without a colon")
            }
            let value = line[(colon + 1)...]
            do throws(RequestError) {
                let field = try HTTPField(
                    checking: String(decoding: line[..<colon], as: UTF8.self), value: String(decoding: value, as: UTF8.self))
                // The bytes of another charset than UTF-8 are kept.
                fields.append(String(validating: value, as: UTF8.self) == nil ? field.keeping(value) : field)
            } catch {
                throw .malformedPartHead(error.readableDescription)
            }
        }
        return fields
    }
}

extension HTTPField {
    /// The same field with a value of any bytes, without white space around them.
    fileprivate func keeping(_ value: ArraySlice<UInt8>) -> HTTPField {
        func isSpace(_ byte: UInt8) -> Bool { byte == 0x20 || byte == 0x09 }
        var kept = value.drop(while: isSpace)
        while let last = kept.last, isSpace(last) { kept.removeLast() }
        return HTTPField(name: name, lenientValue: kept)
    }
}
