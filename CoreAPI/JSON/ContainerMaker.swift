/// Makes the containers of one key type. It knows their types; a generic function would look them up in the runtime's tables
/// for each container, which costs more than the rest of making one. Used only as a metatype, which needs no counting.
class ContainerMaker<Key: CodingKey> {
    class func container(_ decoding: Decoding) -> KeyedDecodingContainer<Key> {
        KeyedDecodingContainer(KeyedContainer<Key>(prepared: decoding))
    }
}

/// A container that a ``ContainerMaker`` makes.
protocol MadeContainer: KeyedDecodingContainerProtocol {
    /// - Parameter decoding: the decoder of an object, with its member index if it needs one.
    init(prepared decoding: Decoding)
}

private final class MakerOf<Container: MadeContainer, Key>: ContainerMaker<Key> where Container.Key == Key {
    override class func container(_ decoding: Decoding) -> KeyedDecodingContainer<Key> {
        KeyedDecodingContainer(Container(prepared: decoding))
    }
}

/// The maker of each key type.
enum ContainerMakers {
    private static let known = TypeRegistry<AnyClass>()

    @inline(__always)
    static func container<Key: CodingKey>(_ decoding: Decoding) -> KeyedDecodingContainer<Key> {
        let maker: AnyClass = known.value(of: Key.self) { MakerOf<KeyedContainer<Key>, Key>.self }
        // The registry holds the maker of `Key` under `Key`.
        return unsafeBitCast(maker, to: ContainerMaker<Key>.Type.self).container(decoding)
    }
}
