import CoreAPI
import Foundation

@testable import CoreAPICore
@testable import CoreAPIWebSocket

extension FuzzTarget {
    /// A byte that says which side reads, and whether it inflates; a byte that says how the bytes are cut; then frames.
    static let webSocket = FuzzTarget(name: "web-socket") { input in
        let choice = input.byte()
        let piece = Int(input.byte()) + 1
        let (role, inflates) = (choice & 1 == 0 ? Role.client : .server, choice & 2 != 0)
        let whole = input.whole(cutEvery: piece) { read($0, role, inflates) }
        for case .message(let message) in whole.events {
            expect(message.data.count <= limit, "no message beyond the limit")
            let frame = Data(FrameWriter(role: role == .client ? .server : .client).frame(.binary, message.data))
            let pieces = stride(from: 0, to: frame.count, by: piece).map { Array(frame.dropFirst($0).prefix(piece)) }
            let again = read(pieces, role, false)
            expect(again.events == [.message(.binary(message.data))], "what is written can be read")
        }
    }

    private static let limit = 64 << 10

    private struct Read: Equatable {
        var events: [MessageReader.Event] = []
        var code: UInt16?
    }

    private static func read(_ pieces: [[UInt8]], _ role: Role, _ inflates: Bool) -> Read {
        var options = WebSocket.Options()
        options.messageSize = limit
        var reader = MessageReader(role, options, inflates: inflates)
        var read = Read()
        do throws(Violation) {
            for piece in pieces {
                try piece.withUnsafeBufferPointer { part throws(Violation) in
                    var index = 0
                    while let event = try reader.next(UnsafeRawBufferPointer(part), at: &index) { read.events.append(event) }
                }
            }
        } catch { read.code = error.code.rawValue }
        return read
    }

    /// A byte that says how the bytes are cut, then a server's response to a WebSocket's handshake with the key of RFC 6455 §1.3.
    static let upgrade = FuzzTarget(name: "upgrade") { input in
        let size = Int(input.byte()) + 1
        let whole = input.whole(cutEvery: size, answer)
        expect(whole.body.count <= limits.responseBodySize, "no body beyond the limit")
        expect(whole.body.count + whole.rest.count <= input.bytes.count, "no more comes out than went in")
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

    private static func answer(_ pieces: [[UInt8]]) -> Outcome {
        finished {
            var unread = pieces[...]
            var reader = ResponseReader(limits) { unread.popFirst().map { Data($0) } }
            do {
                let answer = try await reader.read()
                // After a 101 the rest of the connection belongs to the new protocol, read already or not.
                let rest = answer.head.status == .switchingProtocols ? answer.rest + unread.joined() : answer.rest
                return Outcome(head: answer.head, body: reader.body, rest: rest)
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
