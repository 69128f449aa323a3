/// The rest of a request's way, seen from a ``Middleware``.
public struct Next: Sendable {
    /// What the middleware stands around.
    enum Position {
        case call, attempt
    }

    let position: Position
    var index = 0

    /// Goes on with an attempt and returns what came of it.
    @inline(never)
    public func callAsFunction(_ attempt: Attempt) async -> Reply {
        let channel = attempt.call.prepared
        let chain = position == .call ? channel.callChain : channel.attemptChain
        if index < chain.count {
            return await chain[index].handle(attempt, next: Next(position: position, index: index + 1))
        }
        if position == .call { return await Pipeline().attempts(attempt) }
        attempt.tellQueued()
        let reply = await channel.transport.send(attempt)
        attempt.tellExchange(reply)
        return reply
    }
}
