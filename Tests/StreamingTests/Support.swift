import CoreAPIStreaming
import TestSupport

/// The same bytes in one piece, in two for each cut, and byte by byte.
func cuts(_ bytes: Data) -> [Body] {
    let halves = (0...bytes.count).map { Body.pieces([Data(bytes.prefix($0)), Data(bytes.dropFirst($0))]) }
    return [.bytes(bytes)] + halves + [.cut(bytes, every: 1)]
}

func cuts(_ text: String) -> [Body] { cuts(Data(text.utf8)) }

extension ServerReply {
    static func events(_ text: String) -> ServerReply { .ok(text, headers: ["Content-Type": "text/event-stream"]) }
}

extension StreamError {
    var kind: String { String("\(reason)".prefix { $0 != "(" }) }
}
