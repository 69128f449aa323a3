extension Body {
    /// The bytes of a connection after its answer switched protocols (101).
    init(_ connection: any RawConnection) {
        let source = ChunkSource(isReplayable: false, connection: connection) { { try await connection.read() } }
        self = .stream(BodyStream(length: nil, source))
    }

    /// The connection of an answer that switched protocols; `nil` for any other body.
    var connection: (any RawConnection)? {
        guard case .stream(let stream) = self, case .chunks(let source) = stream.source else { return nil }
        return source.connection
    }
}
