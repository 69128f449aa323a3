/// Makes the containers of one key type, as ``ContainerMaker`` does for decoding.
class OutputMaker<Key: CodingKey> {
    class func container(
        _ encoding: Encoding, _ object: UInt32, owner: UInt32, path: NestedPath?
    ) -> KeyedEncodingContainer<Key> {
        KeyedEncodingContainer(KeyedOutput<Key>(encoding: encoding, object: object, owner: owner, path: path))
    }
}

/// A container that an ``OutputMaker`` makes.
protocol MadeOutput: KeyedEncodingContainerProtocol {
    init(encoding: Encoding, object: UInt32, owner: UInt32, path: NestedPath?)
}

extension KeyedOutput: MadeOutput {}

private final class OutputMakerOf<Output: MadeOutput, Key>: OutputMaker<Key> where Output.Key == Key {
    override class func container(
        _ encoding: Encoding, _ object: UInt32, owner: UInt32, path: NestedPath?
    ) -> KeyedEncodingContainer<Key> {
        KeyedEncodingContainer(Output(encoding: encoding, object: object, owner: owner, path: path))
    }
}

/// The maker of each key type.
enum OutputMakers {
    private static let known = TypeRegistry<AnyClass>()

    @inline(__always)
    static func container<Key: CodingKey>(
        _ encoding: Encoding, _ object: UInt32, owner: UInt32, path: NestedPath?
    ) -> KeyedEncodingContainer<Key> {
        let maker: AnyClass = known.value(of: Key.self) { OutputMakerOf<KeyedOutput<Key>, Key>.self }
        // The registry holds the maker of `Key` under `Key`.
        return unsafeBitCast(maker, to: OutputMaker<Key>.Type.self).container(encoding, object, owner: owner, path: path)
    }
}
