import ArgumentParser
import CoreAPI
import NetworkerCommand
import NetworkerKitSandbox
import NetworkerKitTours

/// `networker sandbox`
struct SandboxCommand: AsyncParsableCommand {
    static var configuration: CommandConfiguration {
        CommandConfiguration(
            commandName: "sandbox",
            abstract: "Run a server for the channels, until Ctrl-C.",
            discussion: """
                Listens on this machine only, with TLS, HTTP/2 and HTTP/1.1, and answers for TY, DL, ML and ID with made-up \
                data. It makes a new certificate authority at every start and writes it to
                  \(ServerTrustManager.localAuthorityFile)
                where the channels' sandbox environments read it. The file is removed at the end.

                EXAMPLES
                  \(CommandSetup.current.name) sandbox
                  \(CommandSetup.current.name) sandbox --fail-first-checkout    to watch a retry
                  \(CommandSetup.current.name) sandbox --port 0                 then calls need --host
                """)
    }

    @Option(help: "The TCP port; 0 for any free one. The channels' sandbox environments expect \(SandboxGreeting.usualPort).")
    var port = SandboxGreeting.usualPort

    @Flag(help: "Answer each first checkout with 503 although its order is placed, to show a retry.")
    var failFirstCheckout = false

    func validate() throws {
        guard (0...65_535).contains(port) else { throw ValidationError("expected a --port from 0 to 65535, got \(port)") }
    }

    func run() async throws {
        let server: SandboxServer
        do {
            server = try await SandboxServer.start(SandboxOptions(port: port, failFirstCheckout: failFirstCheckout))
        } catch {
            let advice = error is SandboxError ? "; choose another port with --port" : ""
            Console.error.write(failure: "the sandbox cannot start: \(error.readableDescription)\(advice)")
            throw ExitCode.failure
        }
        let stop = StopSignal()
        let file = AuthorityFile(path: ServerTrustManager.localAuthorityFile)
        do {
            try file.write(server.authorityPEM)
        } catch {
            await server.stop()
            Console.error.write(failure: error.readableDescription)
            throw ExitCode.failure
        }
        let channels = DemoTour.all.map { (name: $0.channel, baseURL: server.baseURL($0.prefix)) }
        Console.output.write(
            SandboxGreeting(port: server.port, authorityPath: file.path, channels: channels).rendered(Console.output.palette))
        await stop.wait()
        file.remove(ifStill: server.authorityPEM)
        await server.stop()
        Console.output.write("stopped")
    }
}
