internal import Foundation

/// A value while it is encoded: the texts of keys and scalars in the order of encoding, and nodes for the structure. Written at
/// the end, when every container is complete and the order of keys is known.
///
/// Lives as long as any container made from it. Only one thread may use it at a time.
final class OutputTree {
    /// The most bytes of text: a node has 32 bits for an offset.
    static let limit = Int(UInt32.max) - 1_024
    static let depthLimit = 511
    /// Readable and writable bytes after the text, so that whole words may be copied at its end.
    static let padding = 32

    /// Why an encode ends without a document.
    enum Stop: Error {
        case tooLarge
        case misused([any CodingKey], String)
        static let tooDeep = Stop.misused([], "expected at most \(depthLimit) levels of nesting, found more")
    }

    let settings: JSONBodyEncoder
    let escapesSlashes: Bool
    let sortsKeys: Bool
    let hasDefaultKeys: Bool
    let userInfo: [CodingUserInfoKey: Any]
    private(set) lazy var convertedNames = ConvertedNames(SnakeCase.encoded)

    @exclusivity(unchecked) private(set) var text: UnsafeMutablePointer<UInt8>
    @exclusivity(unchecked) var count = 0
    // The allocator's cache of each thread holds blocks of at most 1 KB.
    @exclusivity(unchecked) private var capacity = 1_000
    @exclusivity(unchecked) private(set) var nodes: UnsafeMutablePointer<OutputNode>
    /// Node 0 stands for no node.
    @exclusivity(unchecked) private(set) var nodeCount = 1
    @exclusivity(unchecked) private var nodeCapacity = 32
    /// Keys that are not ASCII or need escapes.
    @exclusivity(unchecked) var oddNames: [String] = []
    /// Containers with a key of ``oddNames``.
    @exclusivity(unchecked) var oddObjects: Set<UInt32> = []
    /// For objects with many members, the members by key, up to the last one that was looked at.
    @exclusivity(unchecked) private var indexes: [UInt32: (members: [String: UInt32], last: UInt32)] = [:]
    @exclusivity(unchecked) private(set) var stop: Stop?
    /// The first of the encoders that may be reused. They are linked through their parents.
    @exclusivity(unchecked) private var reusable: Encoding?
    @exclusivity(unchecked) private var isEncoding = false

    init(_ settings: JSONBodyEncoder) {
        self.settings = settings
        escapesSlashes = !settings.outputFormatting.contains(.withoutEscapingSlashes)
        sortsKeys = settings.outputFormatting.contains(.sortedKeys)
        hasDefaultKeys = if case .useDefaultKeys = settings.keyEncodingStrategy { true } else { false }
        userInfo = if settings.userInfo.isEmpty { [:] } else { settings.userInfo }
        text = .allocate(capacity: capacity)
        nodes = .allocate(capacity: nodeCapacity)
        nodes.initialize(to: OutputNode(.scalar))
    }

    deinit {
        text.deallocate()
        nodes.deallocate()
    }

    /// - Throws: ``Stop``, and the errors of a type's own method.
    func encodeRoot<Value: Encodable>(_ value: Value) throws -> Data {
        isEncoding = true
        // Each reusable encoder refers to the tree.
        defer {
            isEncoding = false
            while let next = reusable { reusable = next.parent }
        }
        let node = try Encoding(self, parent: nil).node(of: value, isOwn: true)
        if let stop { throw stop }
        guard node != 0 else { throw Stop.misused([], "expected a value, found nothing encoded by \(Value.self)") }
        return OutputWriter.write(self, node)
    }

    /// Stops the encode. The first reason wins.
    @inline(never)
    func end(_ reason: Stop) {
        if stop == nil { stop = reason }
    }

    // MARK: - Memory

    @inline(__always)
    func reserve(_ byteCount: Int) {
        if capacity &- count < byteCount &+ Self.padding { grow(byteCount) }
    }

    @inline(never)
    private func grow(_ byteCount: Int) {
        if count + byteCount > settings.sizeLimit {
            // The text from here on is never read.
            end(.tooLarge)
            count = 0
            if capacity >= byteCount + Self.padding { return }
        }
        let wanted = max(capacity * 2, count + byteCount + Self.padding)
        let larger = UnsafeMutablePointer<UInt8>.allocate(capacity: wanted)
        larger.update(from: text, count: count)
        text.deallocate()
        text = larger
        capacity = wanted
    }

    @inline(__always)
    func add(_ node: OutputNode) -> UInt32 {
        if nodeCount == nodeCapacity { growNodes() }
        (nodes + nodeCount).initialize(to: node)
        nodeCount &+= 1
        return UInt32(truncatingIfNeeded: nodeCount &- 1)
    }

    @inline(never)
    private func growNodes() {
        if nodeCount >= settings.sizeLimit {
            end(.tooLarge)
            nodeCount = 1
            return
        }
        let larger = UnsafeMutablePointer<OutputNode>.allocate(capacity: nodeCapacity * 2)
        larger.moveInitialize(from: nodes, count: nodeCount)
        nodes.deallocate()
        nodes = larger
        nodeCapacity *= 2
    }

    // MARK: - Encoders

    /// Returns an encoder for a member or an item of `parent`'s value, in a container of the given depth.
    @inline(__always)
    func encoding(parent: Encoding, depth: UInt16) -> Encoding {
        // Swapped rather than copied, because a swap counts no references.
        var taken: Encoding?
        swap(&taken, &reusable)
        let encoding = taken ?? Encoding(self, parent: nil)
        swap(&reusable, &encoding.parent)
        encoding.parent = parent
        encoding.depth = depth
        return encoding
    }

    /// Keeps an encoder for the next value, unless the encoded type has kept it.
    @inline(__always)
    func recycle(_ encoding: consuming Encoding) {
        guard isEncoding, isKnownUniquelyReferenced(&encoding) else { return }
        encoding.key = nil
        encoding.item = -1
        encoding.value = 0
        swap(&reusable, &encoding.parent)
        reusable = consume encoding
    }
}

/// An encoded value, or a container that is being filled.
struct OutputNode: BitwiseCopyable {
    enum Kind: UInt8 {
        /// One value as text.
        case scalar
        /// Several items of an array as one text, with the commas between them.
        case items
        case array
        case object
    }

    /// The next member or item of the same container; 0 for none.
    var next: UInt32 = 0
    /// The offset of its key in the text, with quotes and colon.
    var keyStart: UInt32 = 0
    var keyLength: UInt32 = 0
    /// The start of its text; of a container, the first child.
    var start: UInt32 = 0
    /// The end of its text; of a container, the last child.
    var end: UInt32 = 0
    /// How many items it stands for; of a container, how many it contains.
    var count: UInt32 = 0
    /// For a key that cannot be compared byte by byte: its index in ``OutputTree/oddNames``, plus 1.
    var oddName: UInt32 = 0
    /// Of a container: how many containers enclose it, itself included.
    var depth: UInt16 = 0
    let kind: Kind
    /// Whether encoding is finished. Retained containers can no longer write.
    var isClosed = false

    init(_ kind: Kind) { self.kind = kind }

    init(text start: Int, _ end: Int, kind: Kind = .scalar, count: Int = 1) {
        self.kind = kind
        self.start = UInt32(truncatingIfNeeded: start)
        self.end = UInt32(truncatingIfNeeded: end)
        self.count = UInt32(truncatingIfNeeded: count)
    }
}

/// The bytes of a key in the text.
struct KeyText {
    let start: Int
    let end: Int
    var oddName: UInt32 = 0
}

/// Members and items.
extension OutputTree {
    /// An empty container.
    @inline(__always)
    func container(_ kind: OutputNode.Kind, in depth: UInt16) -> UInt32 {
        var node = OutputNode(kind)
        node.depth = depth &+ 1
        if Int(depth) >= Self.depthLimit { end(.tooDeep) }
        return add(node)
    }

    /// The node, or an empty object for a value that encodes nothing.
    @inline(__always)
    func orEmpty(_ node: UInt32, in depth: UInt16) -> UInt32 { node != 0 ? node : emptyObject(in: depth) }

    @inline(never)
    private func emptyObject(in depth: UInt16) -> UInt32 {
        let node = container(.object, in: depth)
        nodes[Int(node)].isClosed = true
        return node
    }

    /// The node of one value's text.
    @inline(__always)
    func scalar(_ write: (OutputTree) throws -> Void) rethrows -> UInt32 {
        // Reserved first, because `reserve` may reset `count`.
        reserve(1)
        let start = count
        try write(self)
        return add(OutputNode(text: start, count))
    }

    /// A copy of a closed container, to continue it. The containers that wrote the original stay closed.
    func reopened(_ node: UInt32) -> UInt32 {
        var copy = nodes[Int(node)]
        copy.isClosed = false
        let reopened = add(copy)
        if oddObjects.contains(node) { oddObjects.insert(reopened) }
        return reopened
    }

    @inline(__always)
    func append(_ child: UInt32, to container: UInt32) {
        let parent = nodes + Int(container)
        if parent.pointee.end == 0 { parent.pointee.start = child } else { nodes[Int(parent.pointee.end)].next = child }
        parent.pointee.end = child
        parent.pointee.count &+= 1
    }

    @inline(__always)
    func append(_ child: UInt32, to container: UInt32, key: KeyText) {
        let node = nodes + Int(child)
        node.pointee.keyStart = UInt32(truncatingIfNeeded: key.start)
        node.pointee.keyLength = UInt32(truncatingIfNeeded: key.end &- key.start)
        if key.oddName != 0 {
            node.pointee.oddName = key.oddName
            oddObjects.insert(container)
        }
        append(child, to: container)
    }

    /// Appends the text that was written since the key.
    @inline(__always)
    func appendText(to container: UInt32, key: KeyText) {
        append(add(OutputNode(text: key.end, count)), to: container, key: key)
    }

    /// Inserts the value of a retained encoder at the index that it was made for.
    func insert(_ child: UInt32, at index: Int, of container: UInt32) {
        guard stop == nil, index < nodes[Int(container)].count else { return append(child, to: container) }
        var before: UInt32 = 0
        var after = nodes[Int(container)].start
        var passed = 0
        while after != 0, passed < index {
            passed += nodes[Int(after)].kind == .items ? Int(nodes[Int(after)].count) : 1
            before = after
            after = nodes[Int(after)].next
        }
        nodes[Int(child)].next = after
        if before == 0 { nodes[Int(container)].start = child } else { nodes[Int(before)].next = child }
        if after == 0 { nodes[Int(container)].end = child }
        nodes[Int(container)].count &+= 1
    }

    // MARK: - Names

    func name(of child: UInt32) -> String {
        let node = nodes[Int(child)]
        if node.oddName != 0 { return oddNames[Int(node.oddName) - 1] }
        // Without quotes and colon.
        return String(
            decoding: UnsafeBufferPointer(start: text + Int(node.keyStart) + 1, count: Int(node.keyLength) - 3), as: UTF8.self)
    }

    /// The last member with the key; 0 for none. Keys are compared as strings.
    func member(_ name: String, of object: UInt32) -> UInt32 {
        let node = nodes[Int(object)]
        guard stop == nil, node.count > 0 else { return 0 }
        guard node.count > 16 else {
            var found: UInt32 = 0
            forEach(from: node.start) { if self.name(of: $0) == name { found = $0 } }
            return found
        }
        // Taken out while it is changed, because otherwise it would be copied.
        var (members, last) = indexes.removeValue(forKey: object) ?? ([:], 0)
        forEach(from: last == 0 ? node.start : nodes[Int(last)].next) {
            members[self.name(of: $0)] = $0
            last = $0
        }
        indexes[object] = (members, last)
        return members[name] ?? 0
    }

    /// Passes a node and those after it in its container to a closure.
    @inline(__always)
    func forEach(from first: UInt32, _ body: (UInt32) -> Void) {
        var node = first
        while node != 0 {
            body(node)
            node = nodes[Int(node)].next
        }
    }
}
