import NetworkerCommand

/// The text of a sandbox that is ready: its address, its authority, and commands to try.
struct SandboxGreeting: Sendable {
    let port: Int
    let authorityPath: String
    /// Channel name and base URL.
    let channels: [(name: String, baseURL: String)]

    /// The port of the channels' sandbox environments.
    static let usualPort = 8_443

    func rendered(_ palette: Palette = .none) -> String {
        let names = channels.map(\.name.count).max() ?? 0
        let lines = channels.map { channel in
            let padding = String(repeating: " ", count: names - channel.name.count)
            return "  \(palette.paint(channel.name, .strong))\(padding)  \(channel.baseURL)"
        }
        return """
            listening on 127.0.0.1:\(port), TLS, HTTP/2 and HTTP/1.1
            \(lines.joined(separator: "\n"))
            its authority is in \(authorityPath)

            try, in another terminal:
              \(CommandSetup.current.name) call TY GET discovery/v1/products/search q=çanta size=2\(host(of: "TY"))
              \(CommandSetup.current.name) call DL GET orders --verbose\(host(of: "DL"))
              \(CommandSetup.current.name) events ML orders/ml-o-1/events\(host(of: "ML"))
              echo '{"from":"me","text":"neredesiniz?"}' | \
            \(CommandSetup.current.name) ws ID orders/ID-48201/courier\(host(of: "ID"))
              curl --cacert \(authorityPath) https://localhost:\(port)/health

            Ctrl-C stops it.
            """
    }

    /// The option that a command needs if the port is not the usual one.
    private func host(of channel: String) -> String {
        guard port != Self.usualPort, let baseURL = channels.first(where: { $0.name == channel })?.baseURL else { return "" }
        return " --host \(baseURL)"
    }
}
