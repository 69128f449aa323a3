public import Foundation

/// What a ``LoopbackServer`` does with a request: steps, played in order on its connection.
///
/// Ready-made ones (``ok(_:headers:)``, ``truncated(declared:sent:)`` …) cover most tests; any other behaviour is a list:
///
/// ```swift
/// let reply: Reply = [.sendHead(status: 200, headers: ["Content-Length": "4"]), .sendBody(Data("ab".utf8)), .reset]
/// ```
public struct Reply: Sendable, ExpressibleByArrayLiteral {
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
    public func after(_ steps: Step...) -> Reply {
        Reply(steps + self.steps)
    }

    /// This reply and then other steps: `.ok().followed(by: .closeConnection)`.
    public func followed(by steps: Step...) -> Reply {
        Reply(self.steps + steps)
    }

    /// One thing to do on a connection.
    ///
    /// Waiting of any kind (``wait(_:)``, ``stall``, ``waitFor(_:)``, the pauses of ``throttled(_:chunkSize:interval:)``) is cut
    /// short when the server closes or the peer leaves; the connection is then closed and the remaining steps are dropped. A
    /// peer that shuts down only its sending half counts as gone.
    public enum Step: Sendable {
        /// Sends bytes as they are, even as the answer to a `HEAD`.
        case send(Data)

        /// Sends a status line, the header lines exactly as given (nothing is added), and the empty line.
        /// Without a reason the usual phrase is sent; an empty one sends none.
        case sendHead(status: Int, reason: String? = nil, headers: HeaderLines = [:])

        /// Sends bytes of a body. Nothing is sent when the request was a `HEAD`.
        case sendBody(Data)

        /// Sends one chunk of a chunked body. Nothing is sent when the request was a `HEAD`.
        case sendChunk(Data)

        /// Ends a chunked body. Nothing is sent when the request was a `HEAD`.
        case endChunks(trailers: HeaderLines = [:])

        /// Sends bytes in pieces of `chunkSize` bytes with a pause of `interval` after each but the last.
        case throttled(Data, chunkSize: Int, interval: Duration)

        /// Pauses.
        case wait(Duration)

        /// Holds the connection, silently, until the server closes or the peer leaves.
        case stall

        /// Holds the connection until a test opens the gate.
        case waitFor(Gate)

        /// Opens a gate, so that a test knows that the reply came this far.
        case open(Gate)

        /// Closes the connection in the orderly way (FIN).
        case closeConnection

        /// Aborts the connection (RST). Bytes already sent may still be read by the peer.
        case reset
    }
}
