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
            failure.map { Result<Data, APIClientError>.failure(APIClientError($0, ErrorContext(self))) } ?? .success(Data()))
        response.data = Data()
        return (response, streamed)
    }
}

extension Body {
    fileprivate func copied(to console: Console) async -> (StreamedBody, (any Error)?) {
        var streamed = StreamedBody()
        var line = Data()
        defer { if !line.isEmpty { console.write(bytes: line.escapedForTerminal + Data("\n".utf8)) } }
        do {
            for try await chunk in self {
                streamed.bytes += Int64(chunk.count)
                var ready = chunk
                if console.isTerminal {
                    line += chunk
                    let end = line.lastIndex(of: UInt8(ascii: "\n")).map { $0 + 1 } ?? line.startIndex
                    ready = line[..<end].escapedForTerminal
                    line = Data(line[end...])
                }
                // Without a reader, as after `| head -1`, the rest of the body is of no use.
                guard console.write(bytes: ready) else { break }
            }
            return (streamed, nil)
        } catch {
            return (streamed, error)
        }
    }
}

extension Data {
    /// As text; each line is escaped by itself, so that line ends stay.
    fileprivate var escapedForTerminal: Data {
        let lines = String(decoding: self, as: UTF8.self).split(omittingEmptySubsequences: false, whereSeparator: \.isNewline)
        return Data(lines.map { String($0).escapingControls }.joined(separator: "\n").utf8)
    }
}
