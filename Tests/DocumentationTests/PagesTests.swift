import TestSupport

@Suite("The documentation's pages")
struct PagesTests {
    /// `Benchmarks/results.json`, as far as pages cite it.
    private struct Record: Decodable {
        struct Scenario: Decodable {
            let label: String
            let load: String
            let rows: [Row]
        }
        struct Row: Decodable {
            let client: String
            let ratio: Double
            let cpuRatio: Double
            let ratioToAHC: Double?
        }
        let scenarios: [Scenario]

        static func read() throws -> Record {
            try JSONDecoder().decode(Record.self, from: Data(Documentation.text("Benchmarks/results.json").utf8))
        }

        func row(_ label: String, _ client: String) throws -> Row {
            try #require(scenarios.first { $0.label == label }?.rows.first { $0.client == client }, "\(label), \(client)")
        }
    }

    /// Whether a text is the figure, rounded to as many decimals.
    private func isRounded(_ text: some StringProtocol, _ figure: Double) -> Bool {
        let decimals = text.split(separator: ".").dropFirst().first?.count ?? 0
        return String(format: "%.\(decimals)f", figure) == text
    }

    @Test("cite the figures of Benchmarks/results.json, and their commit")
    func figures() throws {
        let record = try Record.read()
        let beside = try Documentation.text("\(Documentation.catalog)/BesideOthers.md").replacing("\n", with: " ")
        let rows = beside.matches(of: /\| [^|]*at a time[^|]* \| (\d\.\d+) \| (\d\.\d+) \| (\d\.\d+) \|/).map(\.output)
        #expect(rows.count == 4)
        for (label, row) in zip(["s1", "s2", "s3", "s7"], rows) {
            for (client, cell) in [("kit", row.1), ("urlsession", row.2), ("ahc", row.3)] {
                let ratio = try record.row(label, client).ratio
                #expect(isRounded(cell, ratio), "\(label), \(client): the page has \(cell), the record \(ratio)")
            }
        }
        let decoded = try #require(beside.firstMatch(of: /completes ([\d.]+) times as many calls/)?.output.1)
        #expect(isRounded(decoded, try #require(try record.row("s5", "kit").ratioToAHC)))
        let threads = try Documentation.text("\(Documentation.catalog)/ThreadsAndLimits.md").replacing("\n", with: " ")
        let sharing = /reached ([\d.]+) of.* and ([\d.]+) with a thread each.* took ([\d.]+) times.* and ([\d.]+) times/
        let cited = try #require(threads.firstMatch(of: sharing)?.output)
        let (flooded, apart) = (try record.row("s8-flooded", "kit"), try record.row("s8-apart", "kit"))
        #expect(isRounded(cited.1, flooded.ratio) && isRounded(cited.2, apart.ratio), "\(cited.0)")
        #expect(isRounded(cited.3, flooded.cpuRatio) && isRounded(cited.4, apart.cpuRatio), "\(cited.0)")
        for (page, labels) in [(beside, ["s1", "s2", "s3", "s5", "s7"]), (threads, ["s8-flooded", "s8-apart"])] {
            let commit = try #require(page.firstMatch(of: /RESULTS\.md`, commit (\w+)/)?.output.1)
            for scenario in record.scenarios where labels.contains(scenario.label) {
                #expect(scenario.load.hasSuffix("commit \(commit)"), "\(scenario.label)")
            }
        }
    }

    @Test("are all linked from the README")
    func linked() throws {
        let readme = try Documentation.text("README.md")
        for page in try Documentation.files(in: Documentation.catalog, ".md") where !page.contains("/Symbols/") {
            #expect(readme.contains(page), "\(page) is not linked")
        }
    }

    @Test("have each limit's name and default")
    func limits() throws {
        let page = try Documentation.text("\(Documentation.catalog)/ThreadsAndLimits.md")
        let sizes = ["responseBodySize": "64 MiB", "responseHeadSize": "64 KiB"]
        for case (let name?, let value) in Mirror(reflecting: Limits()).children {
            let row = page.split(separator: "\n").first { $0.hasPrefix("|") && $0.contains("``Limits/\(name)``") }
            let found = try #require(row, "\(name) is not in the table")
            guard let number = value as? Int else { continue }
            let shown = sizes[name] ?? number.formatted(.number.locale(Locale(identifier: "en_US")))
            #expect(found.contains("| \(shown) |"), "\(found)")
        }
    }

    /// Names of SwiftUI that a view's file uses every day.
    private static let names = [
        "Alert", "Binding", "Button", "Color", "Environment", "Font", "Form", "Group", "Image", "Label", "Link", "List", "Menu",
        "Path", "Picker", "Scene", "Section", "Shape", "Slider", "State", "Tab", "Text", "Toggle", "View",
    ]

    @Test("of iOS and SwiftUI: no public type of the kit has the name of a SwiftUI type that views use")
    func names() throws {
        let interface = try Documentation.text("docs/api/CoreAPI.txt")
        let types = interface.matches(of: /(?m)^(?:class|enum|protocol|struct|typealias) (\w+)\t/).map { String($0.output.1) }
        #expect(types.contains("Channel") && Set(types).isDisjoint(with: Self.names))
    }
}
