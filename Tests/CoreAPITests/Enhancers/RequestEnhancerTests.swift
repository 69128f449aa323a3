import CoreAPI
import Foundation
import HTTPTypes
import Testing

@Suite("RequestEnhancer")
struct RequestEnhancerTests {
    @Test("enhancers stand where their priorities say, one step more or less included")
    func priorities() async {
        let diary = Diary()
        var channel = Channel.test("https://h.example", transport: RecordingTransport())
        let places: [(String, Priority)] = [
            ("low", .low), ("normal", .normal), ("normal less", .normal.less), ("high", .high), ("core more", .core.more),
            ("custom", .custom(500)), ("max", .max), ("high more", .high.more), ("max more", .max.more),
        ]
        channel.enhancers = places.map { Noting(name: $0.0, diary: diary, instancePriority: $0.1) }
        _ = await channel.manager().response(for: TestEndpoint(), decoding: .nothing)
        let names = ["max", "max more", "core more", "high more", "high", "custom", "normal", "normal less", "low"]
        #expect(diary.all == names.map { "enhance \($0)" } + names.map { "deenhance \($0)" })
    }

    struct Tripping: RequestEnhancer {
        struct Trip: Error {}
        func enhance(_ request: inout Request) throws { throw Trip() }
    }

    @Test("turns what an enhancer throws into an error of that stage")
    func enhancerThrows() async {
        var channel = Channel.test("https://h.example", transport: RecordingTransport())
        channel.enhancers = [Tripping()]
        let response = await channel.manager().response(for: TestEndpoint(), as: Item.self)
        #expect(response.error?.label == "enhancing")
        #expect(response.error?.underlyingError is Tripping.Trip)
    }
}
