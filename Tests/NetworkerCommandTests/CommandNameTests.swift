import Testing

@testable import NetworkerCommand

@Suite("The name of the command in its messages")
struct CommandNameTests {
    @Test(
        "is what can be typed again",
        arguments: [
            (["/home/ege/Shop/.build/debug/shop", "call"], nil, "swift run shop"), (["/usr/local/bin/shop"], nil, "shop"),
            ([".build-address/debug/shop"], nil, "swift run shop"), (["shop"], "", "shop"),
            ([".build/debug/shop"], nil, "swift run shop"),
            (["/kit/Tools/.build/debug/networker"], "../kit/Scripts/networker", "../kit/Scripts/networker"),
            (["/kit/.build/debug/shop", "--generate-completion-script", "zsh"], "x", "shop"),
            (["/kit/.build/debug/shop", "--generate-completion-script=zsh"], nil, "shop"),
        ] as [([String], String?, String)])
    func name(arguments: [String], given: String?, name: String) {
        #expect(CommandName.of(arguments, named: given) == name)
    }
}
