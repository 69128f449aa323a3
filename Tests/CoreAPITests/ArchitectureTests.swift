import TestSupport

@Suite("The architecture")
struct ArchitectureTests {
    /// The compiler finds it on every system, so a target can use it without declaring it.
    @Test("nothing in the core or beside libcurl imports FoundationNetworking")
    func noOtherClient() throws {
        for file in SourceTree.swiftFiles(in: "CoreAPI/Core") + SourceTree.swiftFiles(in: "CoreAPI/Curl") {
            let source = try String(contentsOfFile: SourceTree.path(file), encoding: .utf8)
            #expect(!source.contains("import FoundationNetworking"), "\(file) imports FoundationNetworking")
        }
    }
}
