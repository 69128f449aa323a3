import Foundation

/// Where the parts of an answer go: into HTTP/1.1, or into one stream of HTTP/2. Each returns whether the exchange goes on.
protocol AnswerOutput {
    func sendHead(status: Int, reason: String?, headers: HeaderLines) -> Bool
    /// A head that breaks off in its middle.
    func sendHalfHead() -> Bool
    func sendBody(_ bytes: Data) -> Bool
    func sendChunk(_ bytes: Data) -> Bool
    func endChunks(trailers: HeaderLines) -> Bool
    /// Ends the message where that takes bytes of its own.
    func complete() -> Bool
    /// Ends the message as if it were whole.
    func truncate() -> Bool
    /// Announces that the connection ends.
    ///
    /// - Parameter refuses: whether this exchange is not answered any more.
    func goAway(refusing refuses: Bool) -> Bool
    func resetStream(code: UInt32) -> Bool
    /// Ends the connection with RST.
    func resetConnection() -> Bool
    /// After the last step.
    func finish() -> Bool
    func hold(for duration: Duration?, until latch: Latch?) -> ConnectionSocket.HoldEnd
}
