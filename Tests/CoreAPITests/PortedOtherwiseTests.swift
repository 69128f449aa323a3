import CoreAPI
import CoreAPITesting
import Foundation
import HTTPTypes
import Testing

@testable import CoreAPICore

/// Further lines of the lists "What behaves otherwise" on the pages "Coming from …", as in BehavesOtherwiseTests.swift.
@Suite("What behaves otherwise in ported code", .timeLimit(.minutes(1)))
struct PortedOtherwiseTests {
    private func sent(_ endpoint: any Endpoint, change: (inout Channel) -> Void = { _ in }) async -> Request? {
        let transport = RecordingTransport()
        var channel = Channel.test("https://h.example/v1", transport: transport)
        change(&channel)
        _ = await CommonDispatcher(channel: channel).response(for: endpoint, as: .nothing)
        return transport.requests.first
    }

    @Test("A static let has its method and path for a name.")
    func names() async throws {
        enum Orders: EndpointProvider {
            static let all: GET<Void, Void> = create("orders")
            static let place: POST<[Int], Void> = create("orders?key=s3cret")
            static let named: GET<Void, Void> = create("orders", name: "all")
            static let free = GET<Void, Void>("orders(1)")
            static let other = AdHocEndpoint.delete("orders")
            static var last: GET<Void, Void> { create("orders/last") }
            static func one(_ id: Int) -> GET<Void, Void> { create("orders/\(id)") }
        }
        #expect(Orders.all.name == "Orders GET orders" && Orders.place.name == "Orders POST orders")
        #expect(Orders.named.name == "Orders.all")
        #expect(Orders.free.name == "Orders GET orders(1)" && Orders.other.description == "Orders DELETE orders")
        #expect(Orders.last.name == "Orders.last" && Orders.one(7).name == "Orders.one")
        #expect(GET<Void, Void>("orders", name: "Orders").name == "Orders")
        #expect(await sent(Orders.all)?.call.endpoint == "Orders GET orders")
    }
}
