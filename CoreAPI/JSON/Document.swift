internal import Foundation

/// What ``Document`` knows, in front of its words.
struct DocumentHeader {
    /// UTF-8, followed by ``Document/padding`` zeros, so that words may be read beyond the end.
    fileprivate(set) var bytes: UnsafePointer<UInt8>
    fileprivate(set) var tape: UnsafeMutablePointer<UInt64>
    /// Whether the index has memory of its own, because it did not fit behind the text.
    fileprivate var hasOwnTape = false
    let settings: JSONBodyDecoder
    let hasDefaultKeys: Bool
    let userInfo: [CodingUserInfoKey: Any]
    /// Decoders that nobody holds any more, linked by their parents.
    fileprivate var spare: Decoding?
    fileprivate var isDecoding = false
    fileprivate var convertedNames: ConvertedNames?
    fileprivate var memberIndexes: [MemberIndex] = []
    /// Which member of a flat object was asked for after another.
    fileprivate var hints = SIMD32<UInt8>()
}

/// A document while it is decoded: its text, the index over it, and how values are to be read. Lives as long as any container
/// that was made from it; never shared between threads by the decoder itself.
///
/// All of it is one allocation, as long as the index fits behind the text: of a small document the memory costs more than the
/// decoding.
final class Document: ManagedBuffer<DocumentHeader, UInt64> {
    static let padding = 16
    static let missing = 0
    static let hintCount = SIMD32<UInt8>.scalarCount
    private static let root = 1

    /// - Returns: `nil` when the document is larger than the index can tell.
    /// - Throws: `DecodingError.dataCorrupted`.
    static func read(_ data: Data, settings: JSONBodyDecoder) throws -> Document? {
        guard data.count <= settings.sizeLimit else { return nil }
        return try data.withUnsafeBytes { text in
            if text.count >= 2, TextEncoding.isPlain(text[0], text[1]) { return try read(text, settings) }
            let found = TextEncoding(of: text)
            let text = UnsafeRawBufferPointer(rebasing: text[found.markLength...])
            guard let encoding = found.encoding else { return try read(text, settings) }
            return try read(text, in: encoding, settings)
        }
    }

    private static func read(
        _ text: UnsafeRawBufferPointer, in encoding: String.Encoding, _ settings: JSONBodyDecoder
    ) throws -> Document? {
        guard var utf8 = String(bytes: text, encoding: encoding) else {
            throw Malformed(reason: "expected text in \(encoding), as its first bytes say", offset: 0).decodingError
        }
        guard utf8.utf8.count <= settings.sizeLimit else { return nil }
        return try utf8.withUTF8 { try read(UnsafeRawBufferPointer($0), settings) }
    }

    /// - Parameter text: UTF-8.
    private static func read(_ text: UnsafeRawBufferPointer, _ settings: JSONBodyDecoder) throws -> Document {
        let document = make(text, settings)
        var scanner = Scanner(bytes: document.bytes, count: text.count, tape: document.tape, capacity: capacity(text.count))
        defer {
            document.fields.pointee.tape = scanner.tape
            document.fields.pointee.hasOwnTape = scanner.hasGrown
        }
        do throws(Malformed) {
            try scanner.scan()
        } catch {
            throw error.decodingError
        }
        return document
    }

    /// Words for the index; of a large document enough to tell how many the rest of it needs.
    private static func capacity(_ byteCount: Int) -> Int {
        min(byteCount / 6 + 32, 2_048)
    }

    private static func make(_ text: UnsafeRawBufferPointer, _ settings: JSONBodyDecoder) -> Document {
        let textWords = (text.count + padding + Words.size - 1) / Words.size
        let isDefault = if case .useDefaultKeys = settings.keyDecodingStrategy { true } else { false }
        // An empty one need not be converted.
        let userInfo: [CodingUserInfoKey: Any] = if settings.userInfo.isEmpty { [:] } else { settings.userInfo }
        let buffer = create(minimumCapacity: textWords + capacity(text.count)) { buffer in
            // Both lie in the object itself, which does not move.
            let words = buffer.withUnsafeMutablePointerToElements { $0 }
            return DocumentHeader(
                bytes: copy(text, to: UnsafeMutableRawPointer(words)), tape: words + textWords, settings: settings,
                hasDefaultKeys: isDefault, userInfo: userInfo)
        }
        return unsafeDowncast(buffer, to: Document.self)
    }

    private static func copy(_ text: UnsafeRawBufferPointer, to memory: UnsafeMutableRawPointer) -> UnsafePointer<UInt8> {
        if let base = text.baseAddress { memory.copyMemory(from: base, byteCount: text.count) }
        (memory + text.count).initializeMemory(as: UInt8.self, repeating: 0, count: padding)
        return UnsafePointer(memory.bindMemory(to: UInt8.self, capacity: text.count + padding))
    }

    deinit {
        if fields.pointee.hasOwnTape { fields.pointee.tape.deallocate() }
    }

    /// The header without the check that nobody else uses it, which costs more than what is read here.
    @inline(__always) private var fields: UnsafeMutablePointer<DocumentHeader> { withUnsafeMutablePointerToHeader { $0 } }

    @inline(__always) var bytes: UnsafePointer<UInt8> { fields.pointee.bytes }
    @inline(__always) var tape: UnsafeMutablePointer<UInt64> { fields.pointee.tape }
    @inline(__always) var settings: JSONBodyDecoder { fields.pointee.settings }
    @inline(__always) var hasDefaultKeys: Bool { fields.pointee.hasDefaultKeys }
    @inline(__always) var userInfo: [CodingUserInfoKey: Any] { fields.pointee.userInfo }

    /// Which member of a flat object was asked for after another, whose number is below ``hintCount``.
    @inline(__always)
    subscript(hint last: Int) -> UInt8 {
        get { fields.pointee.hints[last] }
        set { fields.pointee.hints[last] = newValue }
    }

    @inline(__always)
    func entry(_ place: Int) -> Entry { Entry(bits: tape[place]) }

    @inline(__always)
    func place(after place: Int) -> Int {
        let entry = entry(place)
        return entry.isCollection ? entry.end : place &+ 1
    }

    func decodeRoot<Value: Decodable>(_ type: Value.Type) throws -> Value {
        fields.pointee.isDecoding = true
        // Spare decoders hold the document.
        defer {
            fields.pointee.isDecoding = false
            while let next = fields.pointee.spare { fields.pointee.spare = next.parent }
        }
        let root = Decoding(self, Self.root, parent: nil)
        return try decode(type, at: Self.root, from: root)
    }

    /// What converts keys in snake case, and remembers those that it has converted.
    var convertedNames: ConvertedNames {
        if let names = fields.pointee.convertedNames { return names }
        let names = ConvertedNames(SnakeCase.decoded)
        fields.pointee.convertedNames = names
        return names
    }

    /// Those that objects share.
    @inline(__always) var memberIndexes: [MemberIndex] { fields.pointee.memberIndexes }

    func share(_ index: MemberIndex) {
        fields.pointee.memberIndexes.append(index)
    }

    // MARK: - Decoders

    /// A decoder of the value at `place`, a member or an item of `parent`'s. It may have the key of another member still, which is not
    /// taken from it before its own.
    @inline(__always)
    func decoding(_ place: Int, parent: Decoding) -> Decoding {
        // References are swapped rather than copied, so that nothing is counted.
        var taken: Decoding?
        swap(&taken, &fields.pointee.spare)
        guard let decoding = taken else { return Decoding(self, place, parent: parent) }
        swap(&fields.pointee.spare, &decoding.parent)
        decoding.value = place
        decoding.parent = parent
        return decoding
    }

    /// Keeps a decoder for the next value, unless the type that it was made for has kept it.
    @inline(__always)
    func recycle(_ decoding: consuming Decoding) {
        guard fields.pointee.isDecoding, isKnownUniquelyReferenced(&decoding) else { return }
        decoding.index = nil
        decoding.isNested = false
        swap(&fields.pointee.spare, &decoding.parent)
        fields.pointee.spare = consume decoding
    }
}
