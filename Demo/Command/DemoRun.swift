import CoreAPI
import NetworkerCommand
import NetworkerKitSandbox
import NetworkerKitTours

/// The demo: starts a server, runs every tour, and closes the server and every channel.
struct DemoRun: Sendable {
    let registry: ChannelRegistry
    let tours: [DemoTour]

    init(registry: ChannelRegistry = CommandSetup.current.registry, tours: [DemoTour] = DemoTour.all) {
        self.registry = registry
        self.tours = tours
    }

    /// - Throws: the error that prevented the server's start; later failures are in the report.
    @MainActor
    func report() async throws -> DemoReport {
        let started = ContinuousClock.now
        let planned = try tours.compactMap { tour in
            try registry.entry(tour.channel).map { (tour, try $0.place("sandbox").make()) }
        }
        // The first checkout places its order but answers 503, so that the demo shows a retry.
        let server = try await SandboxServer.start(SandboxOptions(failFirstCheckout: true))
        var stops: [DemoStop] = []
        for (tour, channel) in planned {
            let recorder = CallRecorder()
            let guide = RecordingGuide(channel: tour.channel, recorder: recorder)
            let aimed = channel.aimed(at: server, prefix: tour.prefix, recorder: recorder)
            await ChannelOverride.with(aimed) { await tour.walk(guide) }
            await channel.close()
            stops += guide.stops
        }
        let counts = DemoFindings.ServerCounts(
            connections: server.connectionsAccepted, tokens: server.tokensIssued, orders: server.ordersPlaced)
        await server.stop()
        return DemoReport(
            stops: stops, findings: DemoFindings(stops, counts).all, elapsed: started.duration(to: .now))
    }
}

extension Channel {
    /// The channel with the server as its host, trusting only the server's authority.
    fileprivate func aimed(at server: SandboxServer, prefix: String, recorder: CallRecorder) -> Channel {
        var channel = self
        channel.environment.baseURL = server.baseURL(prefix)
        channel.environment.serverTrustManager = ServerTrustManager(authorities: .pem(server.authorityPEM))
        channel.listeners.append(recorder)
        // A request that hangs fails long before the demo's own deadline.
        channel.modifiers.append(Timeout(.seconds(5)))
        return channel
    }
}
