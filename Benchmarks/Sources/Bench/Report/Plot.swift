import Foundation

/// Bars of the ratios, as SVG.
struct Plot {
    private static let colours: [Client: String] = [
        .rawc: "#9aa0a6", .rawcSocket: "#c4c8cc", .rawcAsKit: "#80868b", .bare: "#5f6368", .bareExecutor: "#a8adb2",
        .kit: "#1a73e8", .urlsession: "#f9ab00", .ahc: "#d93025",
    ]
    private static let left = 300.0
    private static let width = 420.0
    private var body: [String] = []
    private var y = 20.0

    /// Scenarios with a lost request have no valid ratios and are omitted.
    init(_ results: Results) {
        let comparable = results.scenarios.filter { !$0.label.hasPrefix("s6-default") }
        add(title: "Requests a second, relative to libcurl from C", comparable.filter { !Self.isTyped($0) }) {
            $0.ratio
        }
        add(title: "Decoded calls a second, relative to async-http-client with JSONDecoder", comparable.filter(Self.isTyped)) {
            $0.ratioToAHC
        }
    }

    private static func isTyped(_ scenario: ScenarioResults) -> Bool { scenario.label == "s5" || scenario.label == "s7" }

    private mutating func add(title: String, _ scenarios: [ScenarioResults], _ value: (Row) -> Double?) {
        guard let most = scenarios.flatMap(\.rows).compactMap(value).max() else { return }
        let scale = Self.width / max(most, 1)
        text(title, x: 10, size: 15, weight: "bold")
        y += 12
        let top = y
        for scenario in scenarios {
            y += 18
            text(Scenario.title(of: scenario.label), x: 10, size: 12, weight: "bold")
            for row in scenario.rows {
                guard let value = value(row) else { continue }
                y += 17
                let length = String(format: "%.1f", value * scale)
                body.append(
                    """
                    <rect x="\(Self.left)" y="\(y - 11)" width="\(length)" height="13" \
                    fill="\(Self.colours[row.client] ?? "#000")"/>
                    """)
                text(row.client.title, x: 24, size: 12)
                text(String(format: value < 0.1 ? "%.3f" : "%.2f", value), x: Self.left + value * scale + 5, size: 11)
            }
        }
        let one = String(format: "%.1f", Self.left + scale)
        body.append(
            ##"<line x1="\##(one)" x2="\##(one)" y1="\##(top)" y2="\##(y + 6)" stroke="#5f6368" stroke-dasharray="3 3"/>"##)
        y += 36
    }

    private mutating func text(_ text: String, x: Double, size: Int, weight: String = "normal") {
        let escaped = text.replacing("&", with: "&amp;").replacing("<", with: "&lt;")
        body.append(
            #"<text x="\#(String(format: "%.1f", x))" y="\#(y)" font-size="\#(size)" font-weight="\#(weight)">\#(escaped)</text>"#
        )
    }

    var svg: String {
        let width = Self.left + Self.width + 60
        return """
            <svg xmlns="http://www.w3.org/2000/svg" width="\(width)" height="\(y)" \
            font-family="Helvetica, Arial, DejaVu Sans, sans-serif" fill="#202124">
            <rect width="100%" height="100%" fill="#ffffff"/>
            \(body.joined(separator: "\n"))
            </svg>

            """
    }
}
