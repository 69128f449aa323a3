public import Foundation

extension WebSocket {
    /// A complete message; its fragments are joined.
    public enum Message: Sendable, Hashable {
        /// Text, sent as UTF-8.
        case text(String)
        /// Bytes.
        case binary(Data)

        /// The bytes of the message; UTF-8 for a text.
        public var data: Data {
            switch self {
            case .text(let text): Data(text.utf8)
            case .binary(let data): data
            }
        }
    }

    /// The reason why a WebSocket ends (RFC 6455 §7.4).
    public struct CloseCode: RawRepresentable, Sendable, Hashable {
        /// The number on the wire.
        public let rawValue: UInt16

        public init(rawValue: UInt16) { self.rawValue = rawValue }

        /// 1000: the conversation is complete.
        public static let normal = CloseCode(rawValue: 1000)
        /// 1001: the server goes down, or the user has left.
        public static let goingAway = CloseCode(rawValue: 1001)
        /// 1002: a frame breaks the protocol.
        public static let protocolError = CloseCode(rawValue: 1002)
        /// 1003: a kind of data that the receiver cannot accept.
        public static let unsupportedData = CloseCode(rawValue: 1003)
        /// 1005: the Close frame named no code. Never on the wire.
        public static let noStatus = CloseCode(rawValue: 1005)
        /// 1006: the connection ended without a Close frame. Never on the wire.
        public static let abnormal = CloseCode(rawValue: 1006)
        /// 1007: data that does not fit its type, such as a text that is not UTF-8.
        public static let invalidData = CloseCode(rawValue: 1007)
        /// 1008: a message that breaks the receiver's policy.
        public static let policyViolation = CloseCode(rawValue: 1008)
        /// 1009: a message that is too large for its receiver.
        public static let messageTooBig = CloseCode(rawValue: 1009)
        /// 1011: an error of the server.
        public static let internalError = CloseCode(rawValue: 1011)

        /// Whether a Close frame may have the code (RFC 6455 §7.4, IANA's registry). Codes for internal use and unassigned codes
        /// may not.
        public var mayBeSent: Bool {
            switch rawValue {
            case 1000...1003, 1007...1014, 3000...4999: true
            default: false
            }
        }
    }

    /// The end of a WebSocket.
    public struct Closing: Sendable, Hashable {
        /// Who ended it.
        public enum Side: Sendable, Hashable {
            /// This side.
            case here
            /// The peer, or the network.
            case peer
        }

        /// The code of the first Close frame; ``CloseCode/noStatus`` if it had none, ``CloseCode/abnormal`` without a Close
        /// frame.
        public let code: CloseCode
        /// The reason in the Close frame; may be empty. Do not trust the peer's text.
        public let reason: String
        /// Who ended it.
        public let side: Side

        /// Makes an end, for a test.
        public init(code: CloseCode, reason: String = "", side: Side) {
            (self.code, self.reason, self.side) = (code, reason, side)
        }

        /// Whether the end is orderly: 1000, 1001 or no code.
        public var isOrderly: Bool { [.normal, .goingAway, .noStatus].contains(code) }
    }

    /// The options of a WebSocket: subprotocols, limits, clocks, compression.
    public struct Options: Sendable, Hashable {
        /// Subprotocols by preference (RFC 6455 §1.9); the server selects at most one.
        public var subprotocols: [String] = []
        /// The limit on received messages, in bytes after decompression; a larger one ends the socket with 1009. Default 16 MiB.
        public var messageSize = 16 * 1_024 * 1_024
        /// The limit on received frames, in bytes as sent; a larger one ends the socket with 1009. Default 16 MiB.
        public var frameSize = 16 * 1_024 * 1_024
        /// Messages with more bytes are sent as several frames of this size, so that pings go between them. `nil`, the default,
        /// sends every message as one frame.
        public var fragmentSize: Int?
        /// How long the peer may be silent before the socket sends a ping, at most twice as long. `nil` sends none. Default 30 s.
        public var pingInterval: Duration? = .seconds(30)
        /// How long a ping waits for its response. Default 20 s.
        public var pongTimeout: Duration = .seconds(20)
        /// How long a closing socket waits for the peer's Close frame and for the end of the connection. Default 5 s.
        public var closeTimeout: Duration = .seconds(5)
        /// Compression of messages (permessage-deflate, RFC 7692), if the server agrees; `nil` offers none. Default on.
        public var compression: Compression? = Compression()

        /// Makes options with the default values.
        public init() {}
        /// Makes options with subprotocols and the other default values.
        public init(subprotocols: String...) { self.subprotocols = subprotocols }
    }

    /// The parameters of permessage-deflate that the client offers (RFC 7692 §7.1).
    public struct Compression: Sendable, Hashable {
        /// Whether each message sent is compressed by itself, which needs less memory between messages and compresses less. A
        /// server may demand it, too. Default `false`.
        public var resetsOwnContext = false
        /// As ``resetsOwnContext``, for the messages of the server. Default `false`.
        public var resetsServerContext = false
        /// Messages with fewer bytes are sent as they are. Default 64.
        public var minimumSize = 64

        /// Makes the default compression.
        public init() {}
    }
}

extension WebSocket.CloseCode: CustomStringConvertible {
    public var description: String { "\(rawValue)" }
}
