/// A call after its enhancers, as each attempt begins with it: adapted by none yet.
final class EnhancedCall: Sendable {
    let request: Request
    /// Those made before, where this is a repetition by hand.
    let attempts: [Attempt]
    /// How often the call has been repeated by hand.
    let repetitions: Int
    /// The pause that has passed before its first attempt.
    let delay: Duration
    private let isTaken = Mutex(false)

    init(_ request: Request, attempts: [Attempt] = [], repetitions: Int = 0, delay: Duration = .zero) {
        self.delay = delay
        self.request = request
        self.attempts = attempts
        self.repetitions = repetitions
    }

    /// How many attempts there may be in the end: as many as the channel allows, or one more where a person asked for it.
    var attemptLimit: Int {
        repetitions == 0 ? request.call.channel.limits.attempts : attempts.count + 1
    }

    /// Whether nobody has repeated the call from here yet.
    func take() -> Bool {
        isTaken.withLock { isTaken in
            defer { isTaken = true }
            return !isTaken
        }
    }

    /// The same call for one more attempt, with its total timeout begun anew: who asks by hand does not ask in vain.
    func repeated(after attempts: [Attempt], delay: Duration) -> EnhancedCall {
        var request = request.numbered(attempts.count + 1)
        request.call = Call(repeating: request.call)
        return EnhancedCall(request, attempts: attempts, repetitions: repetitions + 1, delay: delay)
    }
}
