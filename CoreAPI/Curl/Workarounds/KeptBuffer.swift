extension CurlDefect {
    /// After an HTTP/2 stream a handle keeps its buffer, and rejects another size (`CURLOPT_BUFFERSIZE`, code 43).
    ///
    /// The kit lets such a handle serve once more with its present size, which is good enough, and then discards it
    /// (``CurlHandle/setBufferSize(inFlight:isSecure:streamsBody:)``).
    static let keptBuffer = CurlDefect(0, in: .before(8, 14, 1))
}
