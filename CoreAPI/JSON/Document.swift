internal import Foundation

/// A document while it is decoded: its text, the index over it, and how values are to be read. Lives as long as any container
/// that was made from it; never shared between threads by the decoder itself.
final class Document {
    /// UTF-8, followed by ``padding`` zeros, so that words may be read beyond the end.
    let bytes: UnsafePointer<UInt8>
    let byteCount: Int
    /// Entries (``Entry``); the first stands for a null that is nowhere in the text, the root's is the second.
    let tape: UnsafeMutablePointer<UInt64>
    let settings: JSONBodyDecoder
    let hasDefaultKeys: Bool
    let userInfo: [CodingUserInfoKey: Any]
    /// Decoders that nobody holds any more, linked by their parents.
    @exclusivity(unchecked) private var spare: Decoding?
    @exclusivity(unchecked) private var isDecoding = false
    /// Keys in snake case that were converted before.
    lazy var convertedNames = ConvertedNames()

    static let padding = 16
    static let missing = 0
    private static let root = 1

    /// - Returns: `nil` when the document is larger than the index can tell.
    /// - Throws: `DecodingError.dataCorrupted`.
    init?(_ data: Data, settings: JSONBodyDecoder) throws {
        let limit = settings.sizeLimit
        guard data.count <= limit else { return nil }
        let text: (bytes: UnsafeMutablePointer<UInt8>, count: Int)
        if let utf8 = try Self.transcoded(data) {
            guard utf8.utf8.count <= limit else { return nil }
            text = Self.copy(utf8)
        } else {
            text = Self.copy(data)
        }
        var scanner = Scanner(bytes: text.bytes, count: text.count)
        do {
            try scanner.scan()
        } catch {
            text.bytes.deallocate()
            scanner.tape.deallocate()
            throw error.decodingError
        }
        bytes = UnsafePointer(text.bytes)
        byteCount = text.count
        tape = scanner.tape
        self.settings = settings
        hasDefaultKeys = if case .useDefaultKeys = settings.keyDecodingStrategy { true } else { false }
        if settings.userInfo.isEmpty { userInfo = [:] } else { userInfo = settings.userInfo }
    }

    deinit {
        bytes.deallocate()
        tape.deallocate()
    }

    @inline(__always)
    func entry(_ place: Int) -> Entry { Entry(bits: tape[place]) }

    @inline(__always)
    func place(after place: Int) -> Int {
        let entry = entry(place)
        return entry.isCollection ? entry.end : place &+ 1
    }

    func decodeRoot<Value: Decodable>(_ type: Value.Type) throws -> Value {
        isDecoding = true
        // Spare decoders hold the document.
        defer {
            isDecoding = false
            while let next = spare { spare = next.parent }
        }
        let root = Decoding(self, Self.root, parent: nil)
        return try decode(type, at: Self.root, from: root)
    }

    // MARK: - Decoders

    /// A decoder of the value at `place`, a member or an item of `parent`'s.
    @inline(__always)
    func decoding(_ place: Int, parent: Decoding) -> Decoding {
        // References are swapped rather than copied, so that nothing is counted.
        var taken: Decoding?
        swap(&taken, &spare)
        guard let decoding = taken else { return Decoding(self, place, parent: parent) }
        swap(&spare, &decoding.parent)
        decoding.value = place
        decoding.parent = parent
        return decoding
    }

    /// Keeps a decoder for the next value, unless the type that it was made for has kept it.
    @inline(__always)
    func recycle(_ decoding: consuming Decoding) {
        guard isDecoding, isKnownUniquelyReferenced(&decoding) else { return }
        decoding.key = nil
        decoding.index = nil
        decoding.isNested = false
        swap(&spare, &decoding.parent)
        spare = consume decoding
    }

    // MARK: - Text

    private static func transcoded(_ data: Data) throws -> String? {
        if data.count >= 2, TextEncoding.isPlain(data[data.startIndex], data[data.startIndex + 1]) { return nil }
        let found = TextEncoding(of: data)
        guard let encoding = found.encoding else { return nil }
        guard let text = String(bytes: data.dropFirst(found.markLength), encoding: encoding) else {
            throw Malformed(reason: "expected text in \(encoding), as its first bytes say", offset: 0).decodingError
        }
        return text
    }

    private static func copy(_ text: String) -> (UnsafeMutablePointer<UInt8>, Int) {
        var text = text
        return text.withUTF8 { copy(UnsafeRawBufferPointer($0)) }
    }

    private static func copy(_ data: Data) -> (UnsafeMutablePointer<UInt8>, Int) {
        data.withUnsafeBytes { bytes in
            let hasMark = bytes.count >= 3 && bytes[0] == 0xEF && bytes[1] == 0xBB && bytes[2] == 0xBF
            return copy(hasMark ? UnsafeRawBufferPointer(rebasing: bytes[3...]) : bytes)
        }
    }

    private static func copy(_ source: UnsafeRawBufferPointer) -> (UnsafeMutablePointer<UInt8>, Int) {
        let copy = UnsafeMutablePointer<UInt8>.allocate(capacity: source.count + padding)
        if let base = source.baseAddress { UnsafeMutableRawPointer(copy).copyMemory(from: base, byteCount: source.count) }
        (copy + source.count).initialize(repeating: 0, count: padding)
        return (copy, source.count)
    }
}
