import Foundation
import HTTPTypes

@testable import CoreAPICore
@testable import CoreAPIWebSocket

extension FuzzTarget {
    /// A byte that says how the bytes are cut, then a server's response to a WebSocket's handshake with the key of RFC 6455 §1.3.
    static let upgrade = FuzzTarget(name: "upgrade") { input in
        var input = input
        let piece = Int(input.byte()) + 1
        let bytes = Array(input.bytes)
        let whole = answer(bytes, by: max(bytes.count, 1))
        let cut = answer(bytes, by: piece)
        expect(whole == cut, "the same however it is cut, by \(piece): \(whole), \(cut)")
        expect(whole.body.count <= limits.responseBodySize, "no body beyond the limit")
        expect(whole.body.count + whole.rest.count <= bytes.count, "no more comes out than went in")
        guard let head = whole.head, head.status == .switchingProtocols else { return }
        expect(whole.body.isEmpty, "a response that switches has no body")
        var options = WebSocket.Options()
        options.subprotocols = ["chat"]
        guard let agreement = try? Handshake.check(head.headers, key: "dGhlIHNhbXBsZSBub25jZQ==", options) else { return }
        expect(head.headers[.secWebSocketAccept] == "s3pPLMBiTxaQ9kYGzzhZRbK+xOo=", "the proof of the key")
        expect(agreement.subprotocol ?? "chat" == "chat", "only what was offered")
        let extensions = head.headers[.secWebSocketExtensions]
        expect(agreement.deflate == nil || extensions?.lowercased().contains("permessage-deflate") == true, "only what was named")
        expect((8...15).contains(agreement.deflate?.ownWindow ?? 15), "a window of RFC 7692")
    }

    private static let limits: Limits = {
        var limits = Limits()
        (limits.responseHeadSize, limits.responseHeadLines, limits.responseBodySize) = (512, 16, 256)
        return limits
    }()

    private struct Outcome: Equatable, Sendable {
        var head: ResponseHead?
        var body = Data()
        var rest = Data()
        var error: String?

        static func == (one: Outcome, other: Outcome) -> Bool {
            one.head?.status == other.head?.status && one.head?.headers == other.head?.headers && one.body == other.body
                && one.rest == other.rest && one.error == other.error
        }
    }

    private static func answer(_ bytes: [UInt8], by piece: Int) -> Outcome {
        finished {
            var unread = bytes[...]
            var reader = ResponseReader(limits) {
                guard !unread.isEmpty else { return nil }
                defer { unread = unread.dropFirst(piece) }
                return Data(unread.prefix(piece))
            }
            do {
                let answer = try await reader.read()
                // After a 101 the rest of the connection belongs to the new protocol, read already or not.
                let rest = answer.head.status == .switchingProtocols ? answer.rest + unread : answer.rest
                return Outcome(head: answer.head, body: answer.body, rest: rest)
            } catch { return Outcome(error: "\(error)") }
        }
    }

    /// Runs asynchronous code that waits for nothing else.
    private static func finished(_ work: @escaping @Sendable () async -> Outcome) -> Outcome {
        let (done, box) = (DispatchSemaphore(value: 0), Box())
        Task {
            box.outcome = await work()
            done.signal()
        }
        done.wait()
        return box.outcome
    }

    /// `@unchecked`: the semaphore orders the write before the read.
    private final class Box: @unchecked Sendable {
        var outcome = Outcome()
    }
}
