import CoreAPI
import Foundation

/// What was written of a body that is shown while it arrives.
struct StreamedBody: Sendable, Hashable {
    var bytes: Int64 = 0
    /// From the call's start to the body's end.
    var elapsed = Duration.zero
}

extension Response where Value == Body {
    /// Writes the body while it arrives: byte for byte, on a terminal in whole lines without characters that control it.
    ///
    /// - Parameter limit: the time limit of the whole call.
    /// - Returns: the response without the body, and what was written; `nil` for a call that failed before its body.
    func written(to console: Console, within limit: Duration) async -> (Response<Data>, StreamedBody?) {
        guard case .success(let body) = result else { return (map { _ in Data() }, nil) }
        let (copied, failure) = await withTaskGroup(of: (StreamedBody, (any Error)?)?.self) { group in
            group.addTask { await body.copied(to: console) }
            group.addTask { [start = call.started] in
                try? await Task.sleep(until: start + limit)
                return nil
            }
            var isLate = false
            for await end in group {
                group.cancelAll()
                guard let (streamed, error) = end else {
                    isLate = true
                    continue
                }
                return (streamed, isLate ? TransportError.timedOut(.total, after: limit) : error)
            }
            return (StreamedBody(), nil)
        }
        var streamed = copied
        streamed.elapsed = call.started.duration(to: .now)
        var response = with(
            failure.map { Result<Data, APIClientError>.failure(APIClientError($0, APIClientError.Context(self))) }
                ?? .success(Data()))
        response.data = Data()
        return (response, streamed)
    }
}

extension Body {
    fileprivate func copied(to console: Console) async -> (StreamedBody, (any Error)?) {
        var streamed = StreamedBody()
        var text = TerminalText()
        var failure: (any Error)?
        do {
            for try await chunk in self {
                streamed.bytes += Int64(chunk.count)
                // Without a reader, as after `| head -1`, the rest of the body is of no use.
                guard await console.writeApart(console.isTerminal ? text.next(chunk) : chunk) else { break }
            }
        } catch {
            failure = error
        }
        if console.isTerminal { _ = await console.writeApart(text.end()) }
        return (streamed, failure)
    }
}

/// Bytes as the text that a terminal shows as soon as they arrive, without the characters that control it. Line ends stay.
struct TerminalText {
    /// The begin of a character, or a carriage return whose line feed may follow.
    private var rest = Data()
    private var endsLine = true

    mutating func next(_ chunk: Data) -> Data {
        let bytes = rest + chunk
        let end = bytes.endIndex - bytes.unfinishedCount
        rest = Data(bytes[end...])
        return shown(bytes[..<end])
    }

    /// What is left, and the end of the last line.
    mutating func end() -> Data {
        defer { (rest, endsLine) = (Data(), true) }
        let last = shown(rest)
        return endsLine ? last : last + Data("\n".utf8)
    }

    private mutating func shown(_ bytes: Data) -> Data {
        guard !bytes.isEmpty else { return Data() }
        let lines = String(decoding: bytes, as: UTF8.self).split(omittingEmptySubsequences: false, whereSeparator: \.isNewline)
        let shown = Data(lines.map { String($0).escapingControls }.joined(separator: "\n").utf8)
        endsLine = shown.last == UInt8(ascii: "\n")
        return shown
    }
}

extension Data {
    /// How many of the last bytes are the begin of a character (RFC 3629 §4), or a carriage return.
    fileprivate var unfinishedCount: Int {
        if last == UInt8(ascii: "\r") { return 1 }
        for (index, byte) in suffix(3).reversed().enumerated() where byte & 0xC0 != 0x80 {
            let length = byte >= 0xF0 ? 4 : byte >= 0xE0 ? 3 : byte >= 0xC0 ? 2 : 1
            return length > index + 1 ? index + 1 : 0
        }
        return 0
    }
}
