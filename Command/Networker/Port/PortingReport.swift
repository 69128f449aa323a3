import ArgumentParser
import CoreAPIHTTP
import Foundation

/// The findings in a folder's Swift files.
struct PortingReport {
    struct Record: Encodable {
        let file: String
        let line: Int
        let found: String
        /// The form here.
        let here: String
        let otherwise: [String]
    }

    let records: [Record]
    private let files: Int
    /// What behaves otherwise besides, in code of the clients that were found.
    private let further: [PortingDifference]

    /// - Throws: `ValidationError` for a path without Swift files, and for a file that cannot be read.
    init(of path: String) throws {
        let sources = try Self.swiftFiles(at: path)
        guard !sources.isEmpty else { throw ValidationError("expected Swift files in '\(path.escapingControls)', found none") }
        var records: [Record] = []
        var told: Set<String> = []
        var clients: Set<PortingRow.Client> = []
        for file in sources {
            let text: String
            do {
                text = try String(contentsOf: URL(fileURLWithPath: file), encoding: .utf8)
            } catch {
                throw ValidationError("cannot read '\(file.escapingControls)': \(error.systemReason)")
            }
            for finding in PortingScan(text).findings {
                let differences = PortingTable.differences.filter {
                    finding.row.otherwise.contains($0.title) && !Set($0.clients).isDisjoint(with: finding.row.clients)
                }
                told.formUnion(differences.map(\.title))
                // A row of all clients says nothing about the client.
                if finding.row.clients.count < 3 { clients.formUnion(finding.row.clients) }
                records.append(
                    Record(
                        file: file, line: finding.line, found: finding.found, here: finding.row.here,
                        otherwise: differences.map { "\($0.title) \($0.change.withoutLinks)" }))
            }
        }
        self.records = records
        files = sources.count
        further = PortingTable.differences.filter { !told.contains($0.title) && !clients.isDisjoint(with: $0.clients) }
    }

    private static func swiftFiles(at path: String) throws -> [String] {
        var isFolder: ObjCBool = false
        guard FileManager.default.fileExists(atPath: path, isDirectory: &isFolder) else {
            throw ValidationError("'\(path.escapingControls)' does not exist; expected a folder with Swift files")
        }
        guard isFolder.boolValue else { return [path] }
        let hidden = { (name: String) in name.split(separator: "/").contains { $0.utf8.starts(with: ".".utf8) } }
        let names = FileManager.default.enumerator(atPath: path)?.compactMap { $0 as? String } ?? []
        return names.filter { $0.hasSuffix(".swift") && !hidden($0) }.sorted().map {
            path.hasSuffix("/") ? path + $0 : "\(path)/\($0)"
        }
    }

    func rendered(_ palette: Palette = .none) -> String {
        var lines: [String] = []
        for record in records {
            lines.append("\(record.file.escapingControls):\(record.line): \(palette.paint(record.found, .strong))")
            lines.append("  here: \(record.here)")
            lines += record.otherwise.map { "  otherwise: \($0)" }
        }
        if !records.isEmpty, !further.isEmpty {
            lines.append("also otherwise, without a name to find:")
            lines += further.map { "  \($0.title) \($0.change.withoutLinks)" }
        }
        let count = "\(records.count) finding\(records.count == 1 ? "" : "s") in \(files) file\(files == 1 ? "" : "s")"
        return (lines + [records.isEmpty ? "nothing of another client in \(files) file\(files == 1 ? "" : "s")" : count])
            .joined(separator: "\n")
    }
}

/// The parts of a page "Coming from …" that the table has.
struct PortingPage {
    let table: String
    let differences: String

    init(_ client: PortingRow.Client) {
        let rows = PortingTable.rows.filter { $0.clients.contains(client) }
        table = (["| Yours | Ours |", "|---|---|"] + rows.map { "| \($0.yours) | \($0.ours) |" }).joined(separator: "\n")
        differences = PortingTable.differences.filter { $0.clients.contains(client) }.map { "- **\($0.title)** \($0.change)" }
            .joined(separator: "\n")
    }

    var text: String { "\(table)\n\n\(differences)" }
}
