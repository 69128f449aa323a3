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

/// Makers by types of keys, in a document that keeps them. `nil` for a type that was asked for once: a single container does not pay for
/// a maker.
typealias ContainerMakers = TypeTable<Unmanaged<AnyObject>?>

extension Document {
    @inline(__always)
    func container<Key: CodingKey>(_ decoding: Decoding, _ type: Key.Type) -> KeyedDecodingContainer<Key> {
        guard let known = makers[type], let maker = known else { return firstContainer(decoding, type) }
        // What is kept for a type was made for it.
        return unsafeDowncast(maker.takeUnretainedValue(), to: ContainerMaker<Key>.self).container(decoding)
    }

    @inline(never)
    private func firstContainer<Key: CodingKey>(_ decoding: Decoding, _ type: Key.Type) -> KeyedDecodingContainer<Key> {
        if makers[type] == nil {
            makers[type] = .some(nil)
        } else {
            let maker = MakerOf<KeyedContainer<Key>, Key>()
            keptMakers.append(maker)
            makers[type] = .some(Unmanaged.passUnretained(maker))
        }
        return KeyedDecodingContainer(KeyedContainer<Key>(prepared: decoding))
    }
}
