import CoreAPIWebSocket
import IDInteractors
import IDNetworker
import NetworkerKitSandbox
import TestSupport

@Suite("ID: the courier's chat", .closing, .timeLimit(.minutes(2)))
struct IDCourierTests {
    @Test("greets, answers, and says goodbye")
    func chat() async throws {
        try await withSandbox(.id.at(.sandbox)) { _ in
            let socket = try await IDCourierInteractor().chat(orderID: "ID-7")
            var lines: [String] = []
            for try await line in socket.messages(as: IDCourierMessage.self) {
                lines.append(line.text)
                let answers = ["Neredesiniz?", "Görüşürüz"]
                if lines.count <= answers.count { try await socket.send(json: IDCourierMessage(text: answers[lines.count - 1])) }
            }
            #expect(lines.count == 3 && lines[0].contains("ID-7") && lines[2] == "Afiyet olsun!")
            #expect(socket.closing == .init(code: .normal, reason: "goodbye", side: .peer))
        }
    }

    @Test("fails without a session with the channel's own error")
    func rejected() async throws {
        let failure = try await rejection(IDError.self, on: .id.at(.sandbox, credentials: ["ID_SESSION_ID": "old"])) {
            try await IDCourierInteractor().chat(orderID: "ID-7")
        }
        #expect(failure.errorCode == "SESSION_EXPIRED")
    }

    @Test("the output receives every line, and the end once")
    @MainActor func output() async throws {
        try await withSandbox(.id.at(.sandbox)) { _ in
            let (interactor, output) = (IDCourierInteractor(), Output())
            interactor.output = output
            interactor.openChat(orderID: "ID-8")
            await output.wait { $0.lines.count == 1 }
            #expect(interactor.say("Görüşürüz"))
            await output.wait { $0.ends == 1 }
            #expect(output.lines.last == "Afiyet olsun!" && output.error == nil)
            // A line after the end is not a second end.
            #expect(!interactor.say("Orada mısınız?"))
            interactor.openChat(orderID: "ID-8")
            await output.wait { $0.lines.count == 3 }
            #expect(output.ends == 1)
        }
    }

    @Test("a chat does not keep its interactor alive, and ends with it, without another line")
    @MainActor func released() async throws {
        let ended = try Gate()
        let server = try LoopbackServer.test(tls: ServerTLS()) { request in
            .webSocket(request) { socket in
                defer { ended.open() }
                try await socket.send(.text(#"{"from":"courier","text":"Merhaba"}"#))
                for try await _ in socket {}
            }
        }
        let channel = closing(Channel.id.at(.sandbox).speaking(to: server))
        try await ChannelOverride.with(channel) {
            weak var watched: IDCourierInteractor?
            do {
                let (interactor, output) = (IDCourierInteractor(), Output())
                (interactor.output, watched) = (output, interactor)
                interactor.openChat(orderID: "ID-11")
                await output.wait { $0.lines.count == 1 || $0.ends > 0 }
            }
            #expect(watched == nil)
            try await ended.waitUntilOpen(timeout: .seconds(20))
        }
    }

    @Test("a connection that breaks while lines are sent ends the chat once, and an unsent line is reported apart")
    @MainActor func broken() async throws {
        let end = try Gate()
        let server = try LoopbackServer.start(tls: ServerTLS()) { request in
            .webSocket(request) { socket in
                try await socket.send(.text(#"{"from":"courier","text":"Merhaba"}"#))
                // Reads nothing.
                try await end.waitUntilOpen(timeout: .seconds(60))
            }
        }
        let channel = closing(Channel.id.at(.sandbox).speaking(to: server))
        await ChannelOverride.with(channel) {
            let (interactor, output) = (IDCourierInteractor(), Output())
            interactor.output = output
            interactor.openChat(orderID: "ID-10")
            await output.wait { $0.lines.count == 1 || $0.ends > 0 }
            #expect(output.lines == ["Merhaba"], "\(output.error as Any)")
            // More than the buffers between both sides hold.
            for _ in 0..<16 { _ = interactor.say(String(repeating: "s", count: 1 << 20)) }
            server.close()
            await output.wait { $0.ends > 0 && !$0.unsent.isEmpty }
            end.open()
            #expect(output.ends == 1 && output.error != nil)
            #expect(Set(output.unsent) == ["transport.connectionLost"], "\(output.unsent)")
        }
    }

    @MainActor private final class Output: IDCourierInteractorOutput {
        var lines: [String] = []
        var ends = 0
        var unsent: [String] = []
        var error: APIClientError?

        func handleCourierMessage(_ message: IDCourierMessage) { lines.append(message.text) }

        func handleUnsentCourierLine(_ error: APIClientError) { unsent.append(error.label) }

        func handleCourierChatEnd(_ error: APIClientError?) {
            ends += 1
            self.error = error
        }

        func wait(for condition: (Output) -> Bool) async {
            while !condition(self), !Task.isCancelled { try? await Task.sleep(for: .milliseconds(10)) }
        }
    }
}
