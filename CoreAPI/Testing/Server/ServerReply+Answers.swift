public import Foundation

/// Replies of a server that behaves.
extension ServerReply {
    /// 200 with a text as its body, `text/plain` unless the headers say otherwise.
    public static func ok(_ text: String = "", headers: HeaderLines = [:]) -> ServerReply {
        status(200, body: Data(text.utf8), headers: headers.adding("Content-Type", "text/plain; charset=utf-8"))
    }

    /// 200 with bytes as its body.
    public static func ok(_ body: Data, headers: HeaderLines = [:]) -> ServerReply {
        status(200, body: body, headers: headers)
    }

    /// 200, or another status, with a JSON text as its body. The text is sent unchanged.
    public static func json(_ text: String, status: Int = 200, headers: HeaderLines = [:]) -> ServerReply {
        self.status(status, body: Data(text.utf8), headers: headers.adding("Content-Type", "application/json"))
    }

    /// Any status with a body. `Content-Length` is added unless it is given or the status has no body (1xx, 204, 304).
    public static func status(_ status: Int, body: Data = Data(), headers: HeaderLines = [:]) -> ServerReply {
        let isBodiless = (100..<200).contains(status) || status == 204 || status == 304
        guard !isBodiless else { return [.sendHead(status: status, headers: headers)] }
        let framed = headers.adding("Content-Length", String(body.count))
        return [.sendHead(status: status, headers: framed), .sendBody(body)]
    }

    /// A redirect, 302 by default, with an empty body. The location may be absolute or relative.
    public static func redirect(to location: String, status: Int = 302, headers: HeaderLines = [:]) -> ServerReply {
        self.status(status, headers: headers.adding("Location", location))
    }

    /// 200 with a chunked body, one chunk for each text.
    public static func chunked(_ pieces: [String], headers: HeaderLines = [:]) -> ServerReply {
        ServerReply(chunkedSteps(pieces, headers: headers) + [.endChunks()])
    }

    static func chunkedSteps(_ pieces: [String], headers: HeaderLines) -> [Step] {
        [.sendHead(status: 200, headers: headers.adding("Transfer-Encoding", "chunked"))]
            + pieces.map { .sendChunk(Data($0.utf8)) }
    }

    static func scriptRanOut(after count: Int, at request: ReceivedRequest) -> ServerReply {
        let text = "the script has \(count) replies and ran out of them at \(request.method) \(request.target)"
        return status(500, body: Data(text.utf8), headers: ["Content-Type": "text/plain; charset=utf-8"])
    }

    static func badRequest(_ reason: String) -> ServerReply {
        let headers: HeaderLines = ["Content-Type": "text/plain; charset=utf-8", "Connection": "close"]
        return status(400, body: Data(reason.utf8), headers: headers).followed(by: .closeConnection)
    }
}
