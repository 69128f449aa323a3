public import Foundation

/// Replies of a server that misbehaves.
extension ServerReply {
    /// Closes the connection (FIN) without a byte of a response.
    public static var closeWithoutReply: ServerReply { [.closeConnection] }

    /// Aborts the connection (RST) without a byte of a response.
    public static var resetBeforeHead: ServerReply { [.reset] }

    /// Never answers, and holds the connection.
    public static var stallBeforeHead: ServerReply { [.stall] }

    /// Announces one byte more than it sends, and then holds the connection.
    public static func stallInBody(sent body: Data) -> ServerReply {
        [.sendHead(status: 200, headers: ["Content-Length": String(body.count + 1)]), .sendBody(body), .stall]
    }

    /// Aborts the connection (RST) in the middle of a body of which it announces one byte more than it sends.
    public static func resetInBody(sent body: Data) -> ServerReply {
        [.sendHead(status: 200, headers: ["Content-Length": String(body.count + 1)]), .sendBody(body), .reset]
    }

    /// Announces `declared` bytes, sends another number, and closes in the orderly way. Fewer bytes are a truncated body, more
    /// are garbage after it.
    public static func truncated(declared: Int, sent body: Data) -> ServerReply {
        [.sendHead(status: 200, headers: ["Content-Length": String(declared)]), .sendBody(body), .closeConnection]
    }

    /// Sends a chunked body, one chunk for each text, and closes without the last, empty chunk.
    public static func chunkedWithoutEnd(_ pieces: [String]) -> ServerReply {
        ServerReply(chunkedSteps(pieces, headers: [:]) + [.closeConnection])
    }

    /// Sends any bytes, HTTP or not, and closes.
    public static func garbage(_ bytes: Data) -> ServerReply {
        [.send(bytes), .closeConnection]
    }

    /// Sends a small gzip body that decodes to `decodedBytes` zero bytes, about a thousand times its size. The server never holds
    /// the decoded bytes in memory.
    public static func gzipBomb(decodedBytes: Int) -> ServerReply {
        let headers: HeaderLines = ["Content-Type": "application/octet-stream", "Content-Encoding": "gzip"]
        return status(200, body: GzipOfZeros.make(decodedBytes: decodedBytes), headers: headers)
    }
}
