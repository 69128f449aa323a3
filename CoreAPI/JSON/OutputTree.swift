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
        case tooDeep, tooLarge, nothing
        case misused([any CodingKey], String)
        case failed(any Error)
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
    /// For objects with many members, the members by key.
    @exclusivity(unchecked) var indexes: [UInt32: OutputIndex] = [:]
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

    func encodeRoot<Value: Encodable>(_ value: Value) throws(Stop) -> Data {
        isEncoding = true
        // Each reusable encoder refers to the tree.
        defer {
            isEncoding = false
            while let next = reusable { reusable = next.parent }
        }
        let root = Encoding(self, parent: nil)
        let node: UInt32
        do {
            node = try root.node(of: value, isOwn: true)
        } catch let stop as Stop {
            throw stop
        } catch {
            throw .failed(error)
        }
        if let stop { throw stop }
        guard node != 0 else { throw .nothing }
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
        guard let encoding = taken else {
            let encoding = Encoding(self, parent: parent)
            encoding.depth = depth
            return encoding
        }
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
