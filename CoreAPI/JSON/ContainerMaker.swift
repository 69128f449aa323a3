/// Makes the containers of one key type. It knows their types; a generic function would look them up in the runtime's tables
/// for each container, which costs more than the rest of making one. Used only as a metatype, which needs no counting.
class ContainerMaker<Key: CodingKey> {
    class func container(_ decoding: Decoding) -> KeyedDecodingContainer<Key> { .init(KeyedContainer<Key>(decoding)) }
    class func container(_ output: Output) -> KeyedEncodingContainer<Key> { .init(KeyedOutput<Key>(output)) }
}

protocol MadeContainer: KeyedDecodingContainerProtocol {
    /// - Parameter decoding: the decoder of an object, with its member index if it needs one.
    init(_ decoding: Decoding)
}

protocol MadeOutput: KeyedEncodingContainerProtocol {
    init(_ output: Output)
}

private final class MakerOf<Container: MadeContainer, KeyedOutput: MadeOutput, Key>: ContainerMaker<Key>
where Container.Key == Key, KeyedOutput.Key == Key {
    override class func container(_ decoding: Decoding) -> KeyedDecodingContainer<Key> { .init(Container(decoding)) }
    override class func container(_ output: Output) -> KeyedEncodingContainer<Key> { .init(KeyedOutput(output)) }
}

extension CodingKey {
    /// The maker of this key type's containers.
    @inline(__always) static var maker: ContainerMaker<Self>.Type {
        let maker: AnyClass = makers.value(of: Self.self) { MakerOf<KeyedContainer<Self>, KeyedOutput<Self>, Self>.self }
        // The registry holds the maker of `Self` under `Self`.
        return unsafeBitCast(maker, to: ContainerMaker<Self>.Type.self)
    }
}

private let makers = TypeRegistry<AnyClass>()
