import CoreAPIHTTP
import Foundation
import Testing

@testable import NetworkerKitSandbox

@Suite("An access token") struct TokenTests {
    private final class HandClock: Sendable {
        private let seconds = Mutex(0.0)
        var now: Date { Date(timeIntervalSince1970: seconds.withLock { $0 }) }
        func advance(by step: Double) { seconds.withLock { $0 += step } }
    }

    @Test("is valid for its lifetime")
    func lifetime() {
        let clock = HandClock()
        let tokens = DLTokens(lifetime: .seconds(300), now: { clock.now })
        let token = tokens.issue()
        clock.advance(by: 299)
        #expect(tokens.isLive(token))
        clock.advance(by: 1)
        #expect(!tokens.isLive(token))
    }
}
