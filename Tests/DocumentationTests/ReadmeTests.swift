import TYNetworker
import TestSupport

@Suite("The README")
struct ReadmeTests {
    /// The stages of the marketplace's channel with a cookie jar and a retry policy, in the README's list and in the pictures.
    private static var stages: [String] {
        var channel = Channel.ty
        channel.cookies = CookieJar()
        channel.interceptors.append(RetryPolicy())
        return channel.stages.map(\.description)
    }

    @Test("shows the actual stages of a channel, in a picture for light and one for dark", arguments: ["stages", "stages~dark"])
    func picture(name: String) throws {
        let path = "\(Documentation.catalog)/Resources/\(name).svg"
        let shown = try Documentation.text(path).matches(of: /data-stage="([^"]*)"[^>]*>([^<]*)</)
        #expect(shown.map { String($0.output.1) } == Self.stages)
        for stage in shown { #expect(stage.output.1.split(separator: " ").last == stage.output.2) }
        let readme = try Documentation.text("README.md")
        #expect(readme.contains(path), "\(path) is not in the README")
    }

    @Test("lists the actual stages of a channel")
    func stages() throws {
        let list = Self.stages.joined(separator: "\n")
        #expect(try Documentation.text("CONTRIBUTING.md").contains("```text\n\(list)\n```"), "\(list)")
    }

    @Test("shows a valid fixture")
    func fixture() throws {
        let block = try #require(try Documentation.text("README.md").matches(of: /```text\n(GET [\s\S]*?)```/).first?.output.1)
        let fixture = try Fixture(parsing: String(block), file: "README.md")
        #expect(fixture.delay == .milliseconds(20))
    }
}
