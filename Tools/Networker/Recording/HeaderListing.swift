import CoreAPI
import HTTPTypes

/// An exchange's head lines as `curl --verbose` shows them: `>` for the request, `<` for the answer. Secrets are redacted.
struct HeaderListing: Sendable {
    let exchange: Exchange

    func rendered(_ palette: Palette = .none) -> String {
        let request = exchange.request
        let redaction = request.call.channel.redaction
        func lines(_ fields: HTTPFields, _ mark: String) -> [String] {
            fields.map { field in
                let value = redaction.redact(field.value, under: field.name.rawName).escapingControls
                return "\(mark) \(palette.paint(field.name.rawName + ":", .quiet)) \(value)"
            }
        }
        var text = ["> \(request.method.rawValue) \(redaction.redact(url: request.url))"] + lines(request.headers, ">")
        if let head = exchange.head {
            let status = [exchange.metrics?.httpVersion, "\(head.status.code)", head.status.reasonPhrase]
            text.append("< " + status.compactMap { $0 }.filter { !$0.isEmpty }.joined(separator: " ").escapingControls)
            text += lines(head.headers, "<")
        } else {
            text.append("< no answer")
        }
        return text.joined(separator: "\n")
    }
}
