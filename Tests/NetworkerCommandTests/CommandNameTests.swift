import TestSupport

@testable import NetworkerCommand

@Suite("The name of the command in its messages")
struct CommandNameTests {
    @Test(
        "is what can be typed again",
        arguments: [
            (["/home/ege/Shop/.build/debug/shop", "call"], nil, "swift run shop"),
            (["/usr/local/bin/shop"], nil, "/usr/local/bin/shop"),
            ([".build-address/debug/shop"], nil, "swift run shop"), (["shop"], "", "shop"),
            ([".build/x86_64-unknown-linux-gnu/debug/shop"], nil, "swift run shop"), (["./shop"], nil, "./shop"),
            // A build of another package, as of the kit: SwiftPM would look for it in the package of this folder.
            (["/kit/Tools/.build/debug/networker", "new"], nil, "/kit/Tools/.build/debug/networker"),
            (["../../kit/Tools/.build/debug/networker"], nil, "../../kit/Tools/.build/debug/networker"),
            (["/my kit/.build/debug/networker"], nil, "'/my kit/.build/debug/networker'"),
            (["/a/.build/it's"], nil, #"'/a/.build/it'\''s'"#),
            (["/kit/Tools/.build/debug/networker"], "../kit/Scripts/networker", "../kit/Scripts/networker"),
            (["/kit/.build/debug/shop", "--generate-completion-script", "zsh"], "x", "shop"),
            (["/kit/.build/debug/shop", "--generate-completion-script=zsh"], nil, "shop"),
        ] as [([String], String?, String)])
    func name(arguments: [String], given: String?, name: String) {
        #expect(CommandName.of(arguments, named: given, in: "/home/ege/Shop") == name)
    }

    @Test("is swift run in a folder of the package, too")
    func subfolder() {
        #expect(CommandName.of(["../.build/debug/shop"], named: nil, in: "/home/ege/Shop/Sources") == "swift run shop")
        #expect(CommandName.of(["../Other/.build/debug/x"], named: nil, in: "/home/ege/Shop") == "../Other/.build/debug/x")
    }
}
