import ArgumentParser
import NetworkerKitChannels
import TestSupport

@testable import NetworkerCommand

extension ChannelRegistry {
    /// The channels of the package.
    static let standard = ChannelRegistry(everyChannel)
}

/// A command line, parsed with the channels of the package.
func parse(_ words: [String]) throws -> CallCommand {
    try CommandSetup.$current.withValue(CommandSetup(registry: .standard)) { try CallCommand.parse(words) }
}

/// The request of a command line.
func plan(_ words: [String]) throws -> CallPlan {
    try CommandSetup.$current.withValue(CommandSetup(registry: .standard)) { try CallCommand.parse(words).plan() }
}

/// The request of a command line, as its channel's transport would get it.
func request(_ words: [String]) async throws -> Request {
    let plan = try plan(words)
    let recorder = CallRecorder()
    var channel = plan.target.channel()
    channel.transport = OfflineTransport()
    channel.listeners = [recorder]
    _ = await CommonDispatcher(channel: channel)
        .response(for: plan.endpoint(timeout: .seconds(5), accept: "application/json"), as: .data)
    guard let request = recorder.takeFinished().exchanges.first?.request else { throw CancellationError() }
    return request
}
