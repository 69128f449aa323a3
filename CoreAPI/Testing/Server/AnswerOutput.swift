internal import CoreAPI
import Foundation

/// The output for the parts of a response: HTTP/1.1, or one HTTP/2 stream. Each method returns whether the exchange continues.
protocol AnswerOutput {
    func sendHead(status: Int, reason: String?, headers: HeaderLines) -> Bool
    /// Sends a head that breaks off in the middle.
    func sendHalfHead() -> Bool
    func sendBody(_ bytes: Data) -> Bool
    func sendChunk(_ bytes: Data) -> Bool
    func endChunks(trailers: HeaderLines) -> Bool
    /// Ends the message; sends bytes if the protocol needs some for that.
    func complete() -> Bool
    /// Ends the message early, as if it were complete.
    func truncate() -> Bool
    /// Announces the end of the connection.
    ///
    /// - Parameter rejects: whether this exchange stays without a response.
    func goAway(rejecting rejects: Bool) -> Bool
    func resetStream(code: UInt32) -> Bool
    /// Resets the connection (RST).
    func resetConnection() -> Bool
    /// Hands the connection over to another protocol.
    func handOver(_ serve: @escaping @Sendable (any RawConnection) async -> Void) -> Bool
    /// Called after the last step.
    func finish() -> Bool
    func hold(for duration: Duration?, until latch: Latch?) -> ConnectionSocket.HoldEnd
}
