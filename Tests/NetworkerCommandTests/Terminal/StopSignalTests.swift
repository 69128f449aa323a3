import TestSupport

@testable import NetworkerCommand

@Suite("A signal that stops the command", .timeLimit(.minutes(1)))
struct StopSignalTests {
    @Test("is heard at once, and after it the next one has its usual effect")
    func atOnce() async {
        // Nothing else sends this one.
        let stop = StopSignal([SIGUSR1])
        kill(getpid(), SIGUSR1)
        #expect(await stop.wait() == SIGUSR1)
        #expect(signal(SIGUSR1, SIG_IGN) == nil, "the default handler, which is null")
    }

    @Test("is none if the waiting task is cancelled")
    func cancelled() async {
        let stop = StopSignal([SIGUSR2])
        let waiting = Task { await stop.wait() }
        waiting.cancel()
        #expect(await waiting.value == nil)
    }
}
