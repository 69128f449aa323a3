import CoreAPI
import HTTPTypes
import NetworkerCommand
import NetworkerKitTours

extension DemoReport {
    /// The table, the findings, a sample of each response, and the verdict.
    ///
    /// - Parameter isVerbose: whether the head lines of every exchange follow, secrets redacted.
    func rendered(isVerbose: Bool = false, _ palette: Palette = .none) -> String {
        var parts = [table.rendered(palette), notable(palette), samples(palette)]
        if isVerbose { parts.append(heads(palette)) }
        parts.append(ending(palette))
        return parts.joined(separator: "\n\n")
    }

    private var table: TextTable {
        var table = TextTable([
            .init("channel"), .init("feature"), .init("status", .trailing), .init("protocol"), .init("connection"),
            .init("DNS", .trailing), .init("TCP", .trailing), .init("TLS", .trailing), .init("first byte", .trailing),
            .init("total", .trailing), .init("bytes", .trailing),
        ])
        var channel = ""
        for stop in stops {
            let name = TextTable.Cell(stop.channel == channel ? "" : stop.channel, .strong)
            channel = stop.channel
            if stop.exchanges.isEmpty { table.add([name, .init(stop.feature), .init("–", .bad)]) }
            for (index, exchange) in stop.exchanges.enumerated() {
                // After the first request, the exchange's part in the feature's call.
                let part = exchange.role(after: stop.exchanges[..<index], in: stop.call?.id ?? "")
                table.add(
                    [index == 0 ? name : "", index == 0 ? .init(stop.feature) : .init("  \(part)", .quiet)]
                        + Self.cells(exchange))
            }
        }
        return table
    }

    private static func cells(_ exchange: Exchange) -> [TextTable.Cell] {
        func time(_ duration: Duration?) -> TextTable.Cell { duration.map { .init($0.readable) } ?? .init("–", .quiet) }
        let metrics = exchange.metrics
        return [
            status(of: exchange),
            .init(metrics?.httpVersion ?? "–"), .init(metrics.map { $0.isConnectionReused ? "reused" : "new" } ?? "–"),
            time(metrics?.nameLookup), time(metrics?.connect), time(metrics?.tls), time(metrics?.firstByte), time(metrics?.total),
            .init(metrics?.bytesReceived?.readableBytes ?? "–"),
        ]
    }

    /// A rejection that the call recovered from is a warning; a missing answer is an error.
    private static func status(of exchange: Exchange) -> TextTable.Cell {
        guard let status = exchange.status else { return .init("–", .bad) }
        return .init("\(status)", exchange.error == nil && status < 400 ? .good : .warning)
    }

    private func notable(_ palette: Palette) -> String {
        findings.map { finding in
            (finding.holds ? palette.paint("✓", .good) : palette.paint("✗", .bad)) + " " + finding.text
        }.joined(separator: "\n")
    }

    private func samples(_ palette: Palette) -> String {
        stops.map { stop in
            let title = palette.paint("\(stop.channel) \(stop.feature)", .strong)
            switch stop.result {
            case .success(let sample):
                return (["\(title): \(sample.headline)"] + sample.lines.map { "    \($0)" }).joined(separator: "\n")
            case .failure(let failure): return "\(title): \(palette.paint("failed", .bad)), \(failure.reason)"
            }
        }.joined(separator: "\n")
    }

    private func heads(_ palette: Palette) -> String {
        stops.flatMap { stop in
            stop.exchanges.map { exchange in
                palette.paint("\(stop.channel) \(stop.feature)", .strong)
                    + ", call \(exchange.request.call.id), attempt \(exchange.request.attempt)\n"
                    + HeaderListing(exchange: exchange).rendered(palette)
            }
        }.joined(separator: "\n\n")
    }

    private func ending(_ palette: Palette) -> String {
        let count = failures.count
        let problems = count == 1 ? "1 problem" : "\(count) problems"
        let verdict = count == 0 ? palette.paint("all went well", .good) : palette.paint(problems, .bad)
        return "\(stops.count) features of \(Set(stops.map(\.channel)).count) channels in \(elapsed.readable): \(verdict)"
    }
}
