import ArgumentParser
import NetworkerKitChannels
import TestSupport

@testable import NetworkerCommand

extension ChannelRegistry {
    static let standard = ChannelRegistry(everyChannel)
}

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

/// The message with which a command rejects its words. The exit code is 64.
func rejection<Command: ParsableCommand>(
    _ type: Command.Type, _ line: String, _ read: (Command) throws -> Void
) throws -> String {
    let error = #expect(throws: (any Error).self, "'\(line)' was understood") {
        try CommandSetup.$current.withValue(CommandSetup(registry: .standard)) {
            try read(type.parse(line.split(separator: " ").map(String.init)))
        }
    }
    let rejection = try #require(error)
    #expect(type.exitCode(for: rejection).rawValue == 64)
    return type.fullMessage(for: rejection)
}
