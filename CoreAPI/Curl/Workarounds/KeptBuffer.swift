extension Defect {
    /// After a stream of HTTP/2 a handle keeps its buffer, and refuses another size (`CURLOPT_BUFFERSIZE`, code 43).
    ///
    /// The kit lets such a handle serve once more with the size it has, which is good enough, and then gives it up
    /// (``CurlHandle/setBufferSize(inFlight:isSecure:)``). Shown by `WorkaroundTests.keptBuffer`.
    static let keptBuffer = Defect(3, in: .before(8, 14, 1))
}
