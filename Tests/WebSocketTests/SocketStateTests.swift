import TestSupport

@testable import CoreAPICore
@testable import CoreAPIWebSocket

@Suite("A socket's state")
struct SocketStateTests {
    private func end(_ code: WebSocket.CloseCode, _ side: WebSocket.Closing.Side = .peer) -> SocketEnd {
        SocketEnd(closing: .init(code: code, reason: "", side: side), error: nil)
    }

    private func run(_ effects: SocketState.Effects) { for resume in effects.resumed { resume() } }

    @Test("the first reason is the end, and its Close frame is sent once")
    func firstEnd() {
        var (state, effects) = (SocketState(), SocketState.Effects())
        #expect(state.end(end(.goingAway), sending: Data([1]), &effects) == true)
        #expect(effects.lastFrame == Data([1]))
        effects = .init()
        #expect(state.end(end(.normal), sending: Data([2]), &effects) == false)
        #expect(effects.lastFrame == nil && state.end?.closing.code == .goingAway)
        // A frame that begins now would follow the Close frame.
        #expect(state.beginFrame() == false)
    }

    @Test("in the middle of a frame the Close frame waits for the frame's end", arguments: [true, false])
    func insideFrame(hasFrame: Bool) {
        var (state, effects) = (SocketState(), SocketState.Effects())
        #expect(state.beginFrame() == true)
        #expect(state.end(end(.normal), sending: hasFrame ? Data([1]) : nil, &effects) == true)
        #expect(effects.lastFrame == nil && state.isInFrame)
        state.endFrame(&effects)
        #expect(effects.lastFrame == (hasFrame ? Data([1]) : nil))
    }

    @Test("the app takes the messages first, and hears of the end when the Close frame is sent")
    func announced() {
        var (state, effects) = (SocketState(), SocketState.Effects())
        let consumer = Shared(0)
        #expect(state.waitForMessage { _ = consumer.next() } == .waits)
        #expect(state.waitForMessage {} == .isSecond)
        state.append(.text("a"), &effects)
        run(effects)
        #expect(consumer.current == 1)
        effects = .init()
        _ = state.end(end(.normal), sending: Data(), &effects)
        #expect(state.next(&effects).message == .text("a") && state.next(&effects).end == nil)
        #expect(state.waitForMessage { _ = consumer.next() } == .waits)
        state.announceEnd(&effects)
        run(effects)
        #expect(consumer.current == 2 && state.next(&effects).end?.closing.code == .normal)
    }

    @Test("after an end by this side messages are dropped; after one by the peer they are not", arguments: [true, false])
    func dropped(isPeer: Bool) {
        var (state, effects) = (SocketState(), SocketState.Effects())
        _ = state.end(end(.normal, isPeer ? .peer : .here), sending: nil, &effects)
        state.append(.text("a"), &effects)
        #expect(state.next(&effects).message == (isPeer ? .text("a") : nil))
    }

    @Test("reading waits beyond 64 KiB of messages, until half of them are taken; a close by this side ends the wait")
    func room() {
        var (state, effects) = (SocketState(), SocketState.Effects())
        let reader = Shared(0)
        for _ in 0..<4 {
            #expect(state.waitForRoom { _ = reader.next() } == false)
            state.append(.binary(Data(count: 1 << 14)), &effects)
        }
        #expect(state.waitForRoom { _ = reader.next() } && state.isReaderHeld)
        _ = state.next(&effects)
        #expect(effects.resumed.isEmpty)
        _ = state.next(&effects)
        _ = state.next(&effects)
        run(effects)
        #expect(reader.current == 1 && !state.isReaderHeld)
        for _ in 0..<4 { state.append(.binary(Data(count: 1 << 14)), &effects) }
        effects = .init()
        #expect(state.waitForRoom { _ = reader.next() } == true)
        _ = state.end(end(.normal, .here), sending: nil, &effects)
        run(effects)
        #expect(reader.current == 2)
    }

    @Test("a response ends all earlier pings, and the end of the socket the others")
    func pings() {
        var (state, effects) = (SocketState(), SocketState.Effects())
        let (answered, failed) = (Shared(0), Shared(0))
        for number: UInt8 in 1...3 {
            let isOpen = state.ping(Data([number])) { result in
                if case .success = result { _ = answered.next() } else { _ = failed.next() }
            }
            #expect(isOpen)
        }
        state.answerPings(through: Data([2]), &effects)
        state.answerPings(through: Data([9]), &effects)
        run(effects)
        #expect(answered.current == 2 && failed.current == 0)
        effects = .init()
        _ = state.end(end(.abnormal), sending: nil, &effects)
        #expect(state.ping(Data([4])) { _ in } == false)
        state.announceEnd(&effects)
        run(effects)
        #expect(answered.current == 2 && failed.current == 1)
    }

    @Test("a peer that goes on sending after the end is read for 16 MiB")
    func farewell() {
        var (state, effects) = (SocketState(), SocketState.Effects())
        #expect(state.receive(1 << 30) == true)
        _ = state.end(end(.normal, .here), sending: nil, &effects)
        #expect(state.receive(SocketState.drainLimit - 1) && !state.receive(1))
    }
}
