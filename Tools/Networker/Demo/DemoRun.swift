import CoreAPI
import DemoTours
import Sandbox

/// The demo: starts a server, leads through every tour, and ends the server and every channel again.
struct DemoRun: Sendable {
    let registry: ChannelRegistry
    let tours: [DemoTour]

    init(registry: ChannelRegistry = .standard, tours: [DemoTour] = DemoTour.all) {
        self.registry = registry
        self.tours = tours
    }

    /// - Throws: what kept the server from starting; what fails after that is in the report.
    @MainActor
    func report() async throws -> DemoReport {
        let started = ContinuousClock.now
        let planned = try tours.map { ($0, try registry.entry($0.channel).place("sandbox").make()) }
        // The first checkout places its order and answers 503, so that a retry is seen.
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
    /// The channel, speaking to that server and trusting its authority and no other.
    fileprivate func aimed(at server: SandboxServer, prefix: String, recorder: CallRecorder) -> Channel {
        var channel = self
        channel.environment.baseURL = server.baseURL(prefix)
        channel.environment.serverTrustManager = ServerTrustManager(authorities: .pem(server.authorityPEM))
        channel.listeners.append(recorder)
        // A request that hangs shows as one that failed, long before the whole demo is given up.
        channel.modifiers.append(Timeout(.seconds(5)))
        return channel
    }
}
