import CoreAPI
import CoreAPICurl
import Foundation
import HTTPTypes

/// An exchange's lines as `curl --verbose` shows them: `>` for the request with its body, `<` for the head of the response. The
/// request has its first line and every header that was sent, those of the transport included. Secrets are redacted.
package struct HeaderListing: Sendable {
    package let exchange: Exchange

    package init(exchange: Exchange) {
        self.exchange = exchange
    }

    package func rendered(_ palette: Palette = .none) -> String {
        let request = exchange.request
        let redaction = request.redaction
        func line(_ name: String, _ value: String, _ mark: String) -> String {
            "\(mark) \(palette.paint(name + ":", .quiet)) \(redaction.redact(value, under: name).escapingControls)"
        }
        var text = ["> \(firstLine(redaction))"]
        let fields = (try? request.sentFields()) ?? request.headers.map { ($0.name.rawName, $0.value) }
        text += fields.map { line($0.name, $0.value, ">") }
        text += body(redaction).map { "> \($0)" }
        if let head = exchange.head {
            let status = [exchange.metrics?.httpVersion, "\(head.status.code)", head.status.reasonPhrase]
            text.append("< " + status.compactMap { $0 }.filter { !$0.isEmpty }.joined(separator: " ").escapingControls)
            text += head.headers.map { line($0.name.rawName, $0.value, "<") }
        } else if exchange.error != nil {
            text.append("< no response")
        }
        return text.joined(separator: "\n")
    }

    /// Method, target and version; no version if there is no response. HTTP/2 sends the same as fields.
    private func firstLine(_ redaction: Redaction) -> String {
        let url = exchange.request.url
        let address = redaction.redact(url: url)
        let isComplete = exchange.request.forwardingProxy != nil
        let target = isComplete ? address : String(address.dropFirst(url.origin.count))
        return [exchange.request.method.rawValue, target, exchange.metrics?.httpVersion].compactMap { $0 }.joined(separator: " ")
    }

    /// The lines of the body, after an empty one.
    private func body(_ redaction: Redaction) -> [String] {
        switch exchange.request.body {
        case .none: return []
        case .bytes(let data):
            let type = MediaType(exchange.request.headers)
            return data.isEmpty ? [] : [""] + Self.lines(redaction.redact(body: data, type: type))
        case .file(let url): return ["", "(the file \(url.path.escapingControls))"]
        case .stream(let stream):
            if let form = MultipartForm(stream) { return [""] + lines(of: form, redaction) }
            return ["", "(\(stream.length.map(\.readableBytes) ?? "a stream"), not shown)"]
        }
    }

    /// The texts of a form, and in place of each file its path.
    private func lines(of form: MultipartForm, _ redaction: Redaction) -> [String] {
        let parts = form.parts.flatMap { part -> [String] in
            let head = form.lines(before: part).map(\.escapingControls)
            return switch part.body {
            case .none: head + [""]
            case .bytes(let data): head + Self.lines(part.shown(data, by: redaction))
            case .file(let url): head + ["(the file \(url.path.escapingControls))"]
            case .stream(let stream): head + ["(\(stream.length.map(\.readableBytes) ?? "a stream"), not shown)"]
            }
        }
        return parts + ["--\(form.boundary)--"]
    }

    private static func lines(_ text: String) -> [String] {
        text.split(omittingEmptySubsequences: false, whereSeparator: \.isNewline).map { String($0).escapingControls }
    }
}
