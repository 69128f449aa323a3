/// Makes containers for one type of keys. It knows their types, where a generic function has to look them up in the runtime's
/// tables for each container, which takes longer than all the rest. Never has an instance: a type is its own only value, and
/// needs no counting.
class ContainerMaker<Key: CodingKey> {
    class func container(_ decoding: Decoding) -> KeyedDecodingContainer<Key> {
        KeyedDecodingContainer(KeyedContainer<Key>(prepared: decoding))
    }
}

/// What a ``ContainerMaker`` makes.
protocol MadeContainer: KeyedDecodingContainerProtocol {
    /// - Parameter decoding: of an object, with its index if it needs one.
    init(prepared decoding: Decoding)
}

private final class MakerOf<Container: MadeContainer, Key>: ContainerMaker<Key> where Container.Key == Key {
    override class func container(_ decoding: Decoding) -> KeyedDecodingContainer<Key> {
        KeyedDecodingContainer(Container(prepared: decoding))
    }
}

/// The maker for each type of keys.
enum ContainerMakers {
    private static let known = TypeRegistry<AnyClass>()

    @inline(__always)
    static func container<Key: CodingKey>(_ decoding: Decoding) -> KeyedDecodingContainer<Key> {
        let maker: AnyClass = known.value(of: Key.self) { MakerOf<KeyedContainer<Key>, Key>.self }
        // It was made for `Key`.
        return unsafeBitCast(maker, to: ContainerMaker<Key>.Type.self).container(decoding)
    }
}
