import Foundation

@testable import CoreAPIWebSocket

extension FuzzTarget {
    /// A byte that says which side reads, and whether it inflates; a byte that says how the bytes are cut; then frames.
    static let webSocket = FuzzTarget(name: "web-socket") { input in
        var input = input
        let choice = input.byte()
        let piece = Int(input.byte()) + 1
        let bytes = Array(input.bytes)
        let (role, inflates) = (choice & 1 == 0 ? Role.client : .server, choice & 2 != 0)
        let whole = read(bytes, by: max(bytes.count, 1), role, inflates)
        let cut = read(bytes, by: piece, role, inflates)
        expect(whole == cut, "the same however it is cut, by \(piece): \(whole), \(cut)")
        for case .message(let message) in whole.events {
            expect(message.data.count <= limit, "no message beyond the limit")
            let frame = FrameWriter(role: role == .client ? .server : .client).frame(.binary, message.data)
            let again = read(Array(frame), by: piece, role, false)
            expect(again.events == [.message(.binary(message.data))], "what is written can be read")
        }
    }

    private static let limit = 64 << 10

    private struct Outcome: Equatable {
        var events: [MessageReader.Event] = []
        var code: UInt16?
    }

    private static func read(_ bytes: [UInt8], by piece: Int, _ role: Role, _ inflates: Bool) -> Outcome {
        var options = WebSocket.Options()
        options.messageSize = limit
        var reader = MessageReader(role, options, inflates: inflates)
        var outcome = Outcome()
        for start in stride(from: 0, to: bytes.count, by: piece) {
            do throws(Violation) {
                try bytes[start..<min(start + piece, bytes.count)].withUnsafeBufferPointer { part throws(Violation) in
                    var index = 0
                    while let event = try reader.next(UnsafeRawBufferPointer(part), at: &index) { outcome.events.append(event) }
                }
            } catch {
                outcome.code = error.code.rawValue
                return outcome
            }
        }
        return outcome
    }
}
