import CoreAPI
import Foundation
import HTTPTypes

extension CallReport {
    /// Where the body is.
    enum BodyPlace: Sendable, Hashable {
        /// In the report.
        case shown
        /// On standard output, so not in the report.
        case left
        /// In the named file.
        case written(String)
    }

    /// Status, body and timeline, and heads and cURL command if requested, separated by empty lines.
    func rendered(_ palette: Palette = .none, body place: BodyPlace = .shown) -> String {
        var parts = [statusLine(palette)]
        if extras.contains(.heads) { parts += exchanges.map { HeaderListing(exchange: $0).rendered(palette) } }
        switch place {
        case .shown: if !response.data.isEmpty { parts.append(response.data.bodyText ?? notShown) }
        case .left: break
        case .written(let file): parts.append("\(Int64(response.data.count).readableBytes) written to \(file.escapingControls)")
        }
        let chart = Timeline(exchanges, from: response.call.started, call: response.call.id).chart
        if !chart.groups.isEmpty { parts.append(chart.rendered(palette)) }
        if let cURL { parts.append(cURL) }
        return parts.joined(separator: "\n\n")
    }

    private func statusLine(_ palette: Palette) -> String {
        let facts = [
            response.head.map { head in
                let line = "\(head.status.code) \(head.status.reasonPhrase)".trimmingHTTPWhitespace().escapingControls
                return palette.paint(line, response.error == nil ? .good : .bad)
            } ?? palette.paint("no response", .bad),
            response.metrics?.httpVersion, response.head == nil ? nil : size.readableBytes,
            elapsed?.readable, response.attempts.count > 1 ? "\(response.attempts.count) attempts" : nil,
            "call \(response.call.id)",
        ]
        return facts.compactMap { $0 }.joined(separator: ", ")
    }

    /// In place of a body that is no text.
    var notShown: String {
        let type = response.head?.headers[.contentType] ?? "no stated type"
        let size = Int64(response.data.count).readableBytes
        return "(\(size) of \(type.escapingControls), not text and not shown; -o FILE keeps it)"
    }
}

extension Data {
    /// As a body, if it is text: JSON indented, other text unchanged.
    var bodyText: String? {
        if let json = JSONIndenter.indented(self) { return json }
        guard let text = String(validating: self, as: UTF8.self) else { return nil }
        // Each line is escaped by itself, so that line ends stay and a server cannot control the terminal.
        let lines = text.split(omittingEmptySubsequences: false, whereSeparator: \.isNewline)
        return (lines.last == "" ? lines.dropLast() : lines[...]).map { String($0).escapingControls }.joined(separator: "\n")
    }
}

extension Console {
    /// Writes the body of the response that failed, if it is text.
    func write(bodyOf error: APIClientError) {
        if !error.context.body.isEmpty, let text = error.context.body.bodyText { write(text) }
    }
}
