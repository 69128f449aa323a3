public import CoreAPI
public import Foundation

/// A ``LoopbackServer``'s reply to a request: steps, played in order on its connection.
///
/// Ready-made replies (``ok(_:headers:)-(String,_)``, ``truncated(declared:sent:)`` …) suffice for most tests; any other
/// behaviour is a list:
///
/// ```swift
/// let reply: ServerReply = [.sendHead(status: 200, headers: ["Content-Length": "4"]), .sendBody(Data("ab".utf8)), .reset]
/// ```
public struct ServerReply: Sendable, ExpressibleByArrayLiteral {
    /// The steps, first to last.
    public var steps: [Step]

    /// Makes a reply of these steps.
    public init(_ steps: [Step]) {
        self.steps = steps
    }

    /// Makes a reply of these steps.
    public init(arrayLiteral elements: Step...) {
        steps = elements
    }

    /// This reply after other steps: `.ok().after(.wait(.milliseconds(50)))`.
    public func after(_ steps: Step...) -> ServerReply {
        ServerReply(steps + self.steps)
    }

    /// This reply and then other steps: `.ok().followed(by: .closeConnection)`.
    public func followed(by steps: Step...) -> ServerReply {
        ServerReply(self.steps + steps)
    }

    /// One step on a connection.
    ///
    /// Any wait (``wait(_:)``, ``stall``, ``waitFor(_:)``, the pauses of ``throttled(_:chunkSize:interval:)``) is cut short when
    /// the server closes or the peer leaves. The connection is then closed and the remaining steps are dropped. A peer that shuts
    /// down only its sending half counts as gone.
    public enum Step: Sendable {
        /// Sends bytes unchanged, even as the response to a `HEAD`; over HTTP/2 outside of frames.
        case send(Data)

        /// A flood: sends the same bytes, unchanged, until the peer leaves or the server closes. Over HTTP/2 it sends them
        /// outside of frames, also after the client has reset the stream.
        case sendEndlessly(Data)

        /// Sends a status line, the given header lines only, and the empty line. Without a reason the usual phrase is sent; an
        /// empty one sends none.
        case sendHead(status: Int, reason: String? = nil, headers: HeaderLines = [:])

        /// Sends bytes of a body. Sends nothing if the request was a `HEAD`.
        case sendBody(Data)

        /// Sends one chunk of a chunked body. Sends nothing if the request was a `HEAD`.
        case sendChunk(Data)

        /// Ends a chunked body. Sends nothing if the request was a `HEAD`.
        case endChunks(trailers: HeaderLines = [:])

        /// Sends bytes of a body in pieces of `chunkSize` bytes with a pause of `interval` after each but the last. Sends nothing
        /// if the request was a `HEAD`.
        case throttled(Data, chunkSize: Int, interval: Duration)

        /// Pauses.
        case wait(Duration)

        /// Holds the connection, silently, until the server closes or the peer leaves.
        case stall

        /// Holds the connection until a test opens the gate.
        case waitFor(Gate)

        /// Opens a gate, so that a test knows that the reply has reached this step.
        case open(Gate)

        /// Sends a head that breaks off in the middle; over HTTP/2 half of a frame.
        case sendHalfHead

        /// Ends the message, as the end of the steps does. Over HTTP/2 it ends the stream; over HTTP/1.1 the length has ended it
        /// already. Later steps happen after the response.
        case complete

        /// Ends the message here, as if it were complete: over HTTP/1.1 by the connection's end, without TLS's `close_notify`,
        /// over HTTP/2 by the stream's end.
        case truncate

        /// Announces the end of the connection: GOAWAY over HTTP/2 (RFC 9113 §6.8), `Connection: close` in a later head over
        /// HTTP/1.1. The connection is closed after this exchange. If the exchange is rejected, it was not processed, and the
        /// connection is closed at once.
        case goAway(rejecting: Bool = false)

        /// Ends this exchange's stream only, with a code of RFC 9113 §7. 2 is an internal error, 7 a request that was not
        /// processed and may be repeated, 8 a cancellation. HTTP/1.1 has no streams, so the connection is reset.
        case resetStream(code: UInt32 = 2)

        /// Hands the connection over to another protocol, after a head with status 101, and closes it when the function returns.
        /// Over HTTP/2 the connection is reset instead.
        case takeOver(@Sendable (any RawConnection) async -> Void)

        /// Sends TLS's fatal alert `handshake_failure` in clear text and closes the connection.
        case failHandshake

        /// Closes the connection in the orderly way (FIN, after TLS's `close_notify`).
        case closeConnection

        /// Sends TLS's `close_notify` and keeps the connection open, as a server does that waits for the peer's. In clear text it
        /// does nothing.
        case closeTLS

        /// Aborts the connection (RST). The peer may still read bytes already sent. Over HTTP/2 it waits for the client's
        /// acknowledgement of the settings, which would otherwise arrive after the reset.
        case reset
    }
}
