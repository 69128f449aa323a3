import CoreAPI
import Foundation
import HTTPTypes

extension CallReport {
    /// Status, body and timeline, and heads and cURL command if requested, separated by empty lines.
    func rendered(_ palette: Palette = .none) -> String {
        var parts = [statusLine(palette)]
        if extras.contains(.heads) { parts += exchanges.map { HeaderListing(exchange: $0).rendered(palette) } }
        if let body { parts.append(body) }
        let chart = Timeline(exchanges, from: response.call.started).chart
        if !chart.groups.isEmpty { parts.append(chart.rendered(palette)) }
        if let cURL {
            let trust = cURLTrust.map { palette.paint("# whom the channel trusts: \($0)", .quiet) + "\n" }
            parts.append((trust ?? "") + cURL)
        }
        return parts.joined(separator: "\n\n")
    }

    private func statusLine(_ palette: Palette) -> String {
        let facts = [
            response.head.map { head in
                let line = "\(head.status.code) \(head.status.reasonPhrase)".trimmingHTTPWhitespace().escapingControls
                return palette.paint(line, response.error == nil ? .good : .bad)
            } ?? palette.paint("no answer", .bad),
            response.metrics?.httpVersion, response.head == nil ? nil : Int64(response.data.count).readableBytes,
            elapsed?.readable, response.attempts.count > 1 ? "\(response.attempts.count) attempts" : nil,
            "call \(response.call.id)",
        ]
        return facts.compactMap { $0 }.joined(separator: ", ")
    }

    /// The body if it is text: JSON indented, other text unchanged.
    private var body: String? {
        guard !response.data.isEmpty else { return nil }
        if let json = JSONIndenter.indented(response.data) { return json }
        guard let text = String(validating: response.data, as: UTF8.self) else {
            let type = response.head?.headers[.contentType] ?? "no stated type"
            return "(\(Int64(response.data.count).readableBytes) of \(type.escapingControls), not text and not shown)"
        }
        // Each line is escaped by itself, so that line ends stay and a server cannot control the terminal.
        let lines = text.split(omittingEmptySubsequences: false, whereSeparator: \.isNewline)
        return (lines.last == "" ? lines.dropLast() : lines[...]).map { String($0).escapingControls }.joined(separator: "\n")
    }
}
