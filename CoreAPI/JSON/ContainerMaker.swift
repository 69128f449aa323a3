/// Makes containers for one type of keys. It knows their types, where a generic function has to look them up in the runtime's tables for
/// each container, which takes longer than all the rest.
class ContainerMaker<Key: CodingKey> {
    func container(_ decoding: Decoding) -> KeyedDecodingContainer<Key> {
        KeyedDecodingContainer(KeyedContainer<Key>(prepared: decoding))
    }
}

/// What a ``ContainerMaker`` makes.
protocol MadeContainer: KeyedDecodingContainerProtocol {
    /// - Parameter decoding: of an object, with its index if it needs one.
    init(prepared decoding: Decoding)
}

private final class MakerOf<Container: MadeContainer, Key>: ContainerMaker<Key> where Container.Key == Key {
    override func container(_ decoding: Decoding) -> KeyedDecodingContainer<Key> {
        KeyedDecodingContainer(Container(prepared: decoding))
    }
}

/// By types of keys. `nil` for a type that was asked for once: a single container does not pay for a maker.
extension TypeTable<AnyObject?> {
    @inline(__always)
    func container<Key: CodingKey>(_ decoding: Decoding, _ type: Key.Type) -> KeyedDecodingContainer<Key> {
        // What is kept for a type was made for it.
        guard let known = self[type], let maker = known else { return firstContainer(decoding, type) }
        return unsafeDowncast(maker, to: ContainerMaker<Key>.self).container(decoding)
    }

    @inline(never)
    private func firstContainer<Key: CodingKey>(_ decoding: Decoding, _ type: Key.Type) -> KeyedDecodingContainer<Key> {
        let isKnown = self[type] != nil
        self[type] = .some(isKnown ? MakerOf<KeyedContainer<Key>, Key>() : nil)
        return KeyedDecodingContainer(KeyedContainer<Key>(prepared: decoding))
    }
}
