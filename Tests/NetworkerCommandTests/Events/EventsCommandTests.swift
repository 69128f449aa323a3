import ArgumentParser
import CoreAPI
import CoreAPITesting
import Foundation
import Programs
import Testing

@testable import NetworkerCommand

@Suite("networker events", .timeLimit(.minutes(1)))
struct EventsCommandTests {
    @Test("takes an address, or a channel and a path, and refuses other words")
    func words() throws {
        #expect(try EventsCommand.parse([":8080/x"]).plan().path == "/x")
        for words in [
            [], ["a", "b"], ["nowhere"], [":8080/x", "y"], [":8080", "--count", "0"], [":8080", "--reconnections", "-1"],
        ] {
            #expect(throws: (any Error).self, "\(words)") { _ = try EventsCommand.parse(words) }
        }
    }

    @Test("prints an event as a block or a line of JSON, without control characters")
    func texts() {
        let event = ServerSentEvent(id: "7", name: "tick\u{1B}[2J", data: "one\ntwo\u{7}")
        #expect(EventText.block(event, Palette(isTerminal: false, variables: [:])) == "tick\\u{1B}[2J 7\n  one\n  two\\u{07}")
        #expect(EventText.json(event) == #"{"data":"one\ntwo\u0007","id":"7","name":"tick\u001b[2J"}"#)
    }
}
