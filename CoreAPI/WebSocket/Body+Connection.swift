internal import CoreAPICore

extension Body {
    /// The bytes of a connection after its response switched protocols (101).
    init(_ connection: any RawConnection) {
        let source = ChunkSource(isReplayable: false, connection: connection) { { try await connection.read() } }
        self = .stream(Body.Stream(length: nil, source))
    }
}
