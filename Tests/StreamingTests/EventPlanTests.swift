import TestSupport

@testable import CoreAPICore
@testable import CoreAPIStreaming

@Suite("When an event stream connects again")
struct EventPlanTests {
    private func plan(reconnections: Int = 2, mayRepeat: Bool = true, after statuses: Set<Int> = []) -> EventPlan {
        let options = EventOptions(reconnections: reconnections, pause: .seconds(4), reconnectsAfter: statuses)
        return EventPlan(options, mayRepeat: mayRepeat)
    }

    private func isEnd(_ plan: EventPlan) -> Bool { if case .end = plan.step { true } else { false } }

    private func pause(of plan: EventPlan) -> Duration? { if case .connect(let pause) = plan.step { pause } else { nil } }

    @Test("it connects at once, and after an end with a pause that grows until a line comes")
    func pauses() {
        var plan = plan(reconnections: 3)
        #expect(pause(of: plan) == .zero)
        plan.open()
        #expect(plan.end(.init(), random: 1) == .seconds(4))
        #expect(pause(of: plan) == .seconds(4))
        #expect(plan.end(.init(), random: 1) == .seconds(8))
        #expect(plan.end(.init(hadLine: true), random: 1) == .seconds(4))
        #expect(plan.end(.init(), random: 1) == .seconds(8))
        #expect(plan.end(.init(), random: 1) == .seconds(16))
        #expect(plan.end(.init(), random: 1) == nil && isEnd(plan))
    }

    @Test("the server's last retry stays in force")
    func retry() {
        var plan = plan()
        #expect(plan.end(.init(hadLine: true, retry: .seconds(7)), random: 0) == .seconds(7))
        #expect(plan.end(.init(), random: 0) == .seconds(7))
    }

    @Test("it ends with no reconnections, with a method that may not be repeated, and with a pause that no call has time for")
    func ends() {
        for (plan, end) in [
            (plan(reconnections: 0), EventPlan.End(hadLine: true)), (plan(mayRepeat: false), .init()),
            (plan(), .init(mayWait: false)),
        ] {
            var plan = plan
            #expect(plan.end(end, random: 0) == nil && isEnd(plan))
        }
    }

    @Test("a lost connection is opened again; a rejected status only if the options say so", arguments: [200, 503, 404])
    func errors(status: Int) async throws {
        let channel = Channel.test()
        let request = try #require(await channel.manager.response(for: TypedEndpoint.get("a"), as: .data).request)
        await channel.close()
        let context = APIClientError.Context(request, head: ResponseHead(status: .init(code: status), headers: [:]))
        for isNamed in [true, false] {
            var plan = plan(after: isNamed ? [status] : [])
            let error = APIClientError.transport(.truncated(received: 1, expected: nil), context)
            #expect((plan.end(.init(error: error), random: 1) != nil) == (isNamed || status == 200))
        }
    }
}
