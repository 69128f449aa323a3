internal import Foundation

/// The fields of a ``Document``, stored before its words.
struct DocumentHeader {
    /// The UTF-8 text and ``Document/padding`` zeros, so that whole words may be read at its end.
    let bytes: UnsafePointer<UInt8>
    fileprivate(set) var tape: UnsafeMutablePointer<UInt64>
    /// Whether the tape has its own allocation, because it did not fit behind the text.
    fileprivate var hasOwnTape = false
    /// For the member that comes next in a flat object, the member that the type asked for instead last time. Begins as the
    /// document's order.
    let hints: UnsafeMutablePointer<UInt8>
    let shared: SharedDecodingSettings
    let userInfo: [CodingUserInfoKey: Any]
    /// The first of the decoders that may be reused. They are linked through their parents.
    fileprivate var reusable: Decoding?
    fileprivate var isDecoding = false
    fileprivate lazy var convertedNames = ConvertedNames(SnakeCase.decoded)
    fileprivate var memberIndexes: [MemberIndex] = []
}

/// A document while it is decoded: its text, its tape and its settings. Lives as long as any container made from it. Only one
/// thread may use it at a time.
///
/// One allocation, if the tape fits behind the text: for small documents, allocation costs more than decoding.
final class Document: ManagedBuffer<DocumentHeader, UInt64> {
    static let padding = 16
    static let root = 1

    /// - Parameter takesTrailingCommas: whether a comma may follow the last item, as in Foundation.
    /// - Returns: `nil` for a document beyond the size limit.
    /// - Throws: ``JSONSyntaxError``.
    static func read(_ data: Data, _ shared: SharedDecodingSettings, takesTrailingCommas: Bool = true) throws -> Document? {
        func read(_ utf8: UnsafeRawBufferPointer) throws -> Document {
            let document = make(utf8, shared)
            var scanner = Scanner(
                bytes: document.bytes, count: utf8.count, tape: document.tape, capacity: capacity(utf8.count),
                takesTrailingCommas: takesTrailingCommas)
            defer {
                document.fields.pointee.tape = scanner.tape
                document.fields.pointee.hasOwnTape = scanner.hasGrown
            }
            try scanner.scan()
            return document
        }
        guard data.count <= shared.settings.sizeLimit else { return nil }
        return try data.withUnsafeBytes { text in
            let found = TextEncoding(of: text)
            let text = UnsafeRawBufferPointer(rebasing: text[found.markLength...])
            guard let encoding = found.encoding else { return try read(text) }
            guard var utf8 = String(bytes: text, encoding: encoding) else {
                throw JSONSyntaxError(reason: "expected text in \(encoding), as its first bytes say", offset: 0)
            }
            guard utf8.utf8.count <= shared.settings.sizeLimit else { return nil }
            return try utf8.withUTF8 { try read(UnsafeRawBufferPointer($0)) }
        }
    }

    /// Words for the tape. For a large document only a first part, from which the scanner estimates the rest.
    private static func capacity(_ byteCount: Int) -> Int { min(byteCount / 6 + 32, 2_048) }

    private static func make(_ text: UnsafeRawBufferPointer, _ shared: SharedDecodingSettings) -> Document {
        // After the last of the members of a flat object, one more hint is read.
        let hintWords = KeySet.limit / SWAR.size + 1
        let textWords = (text.count + padding + SWAR.size - 1) / SWAR.size
        // Usually empty, and then not converted.
        let userInfo: [CodingUserInfoKey: Any] = if shared.settings.userInfo.isEmpty { [:] } else { shared.settings.userInfo }
        let buffer = create(minimumCapacity: hintWords + textWords + capacity(text.count)) { buffer in
            // All pointers lead into the object itself, which does not move.
            let words = buffer.withUnsafeMutablePointerToElements { $0 }
            let hints = UnsafeMutableRawPointer(words).bindMemory(to: UInt8.self, capacity: hintWords * SWAR.size)
            for member in 0..<hintWords * SWAR.size { hints[member] = UInt8(truncatingIfNeeded: member) }
            let memory = UnsafeMutableRawPointer(words + hintWords)
            if let base = text.baseAddress { memory.copyMemory(from: base, byteCount: text.count) }
            (memory + text.count).initializeMemory(as: UInt8.self, repeating: 0, count: padding)
            return DocumentHeader(
                bytes: UnsafePointer(memory.bindMemory(to: UInt8.self, capacity: text.count + padding)),
                tape: words + hintWords + textWords, hints: hints, shared: shared, userInfo: userInfo)
        }
        return unsafeDowncast(buffer, to: Document.self)
    }

    deinit {
        if fields.pointee.hasOwnTape { fields.pointee.tape.deallocate() }
    }

    /// The header without exclusivity checks: arrays of objects are 6.2 × as fast as with Foundation, instead of 5.4 ×.
    @inline(__always) private var fields: UnsafeMutablePointer<DocumentHeader> { withUnsafeMutablePointerToHeader { $0 } }
    @inline(__always) var bytes: UnsafePointer<UInt8> { fields.pointee.bytes }
    @inline(__always) var tape: UnsafeMutablePointer<UInt64> { fields.pointee.tape }
    @inline(__always) var hints: UnsafeMutablePointer<UInt8> { fields.pointee.hints }
    @inline(__always) var settings: DecodingSettings { fields.pointee.shared.settings }
    @inline(__always) var hasDefaultKeys: Bool { fields.pointee.shared.hasDefaultKeys }
    @inline(__always) var userInfo: [CodingUserInfoKey: Any] { fields.pointee.userInfo }
    /// Converts keys from snake case, and caches the results.
    var convertedNames: ConvertedNames { fields.pointee.convertedNames }

    /// The member indexes that objects share.
    @inline(__always) var memberIndexes: [MemberIndex] { fields.pointee.memberIndexes }
    func share(_ members: MemberIndex) { fields.pointee.memberIndexes.append(members) }

    @inline(__always)
    func entry(_ index: Int) -> TapeEntry { TapeEntry(bits: tape[index]) }

    @inline(__always)
    func index(after index: Int) -> Int { entry(index).end(from: index) }

    // MARK: - Decoders

    func decodeRoot<Value: Decodable>(_ type: Value.Type) throws -> Value {
        fields.pointee.isDecoding = true
        // Each reusable decoder refers to the document.
        defer {
            fields.pointee.isDecoding = false
            while let next = fields.pointee.reusable { fields.pointee.reusable = next.parent }
        }
        return try Decoding(self, Self.root, parent: nil).decoded(type, isOwn: true)
    }

    /// Returns a decoder for a member or an item of `parent`'s value, reused if possible: nested objects are 5.3 × as fast as
    /// with Foundation, instead of 4.7 ×. A reused one keeps its old key until the new key is set.
    @inline(__always)
    func decoding(_ index: Int, parent: Decoding) -> Decoding {
        // Swapped rather than copied, because a swap counts no references.
        var taken: Decoding?
        swap(&taken, &fields.pointee.reusable)
        guard let decoding = taken else { return Decoding(self, index, parent: parent) }
        swap(&fields.pointee.reusable, &decoding.parent)
        decoding.value = index
        decoding.parent = parent
        return decoding
    }

    /// Keeps a decoder for the next value, unless the decoded type has kept it.
    @inline(__always)
    func recycle(_ decoding: consuming Decoding) {
        guard fields.pointee.isDecoding, isKnownUniquelyReferenced(&decoding) else { return }
        decoding.memberIndex = nil
        decoding.isNested = false
        swap(&fields.pointee.reusable, &decoding.parent)
        fields.pointee.reusable = consume decoding
    }
}
