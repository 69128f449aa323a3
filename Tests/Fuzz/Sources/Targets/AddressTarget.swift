import Foundation

@testable import CoreAPICore
@testable import CoreAPIHTTP

extension FuzzTarget {
    /// An address on the first line, the reference of a `Location` on the second, a path to append on the third.
    static let address = FuzzTarget(name: "address") { input in
        var input = input
        let (text, reference, path) = (input.lineOfText(), input.lineOfText(), input.lineOfText())
        guard let url = try? HTTPURL(text) else { return }
        check(url)
        if let target = try? url.resolving(reference) {
            check(target)
            // A resolved address is absolute, and has the same meaning for every reader.
            expect((try? url.resolving(target.string)) == target.withoutDefaultPort, "resolved again: \(target)")
        }
        var longer = url
        if (try? longer.append(path: path)) != nil {
            check(longer)
            expect(
                longer.hasSameOrigin(as: url) && longer.path.hasPrefix(url.path.dropLast(url.path.hasSuffix("/") ? 1 : 0)),
                "a path stays below its base: \(longer)")
        }
        longer.appendQuery(reference, path)
        check(longer)
        _ = Redaction().redact(url: longer)
    }

    private static func check(_ url: HTTPURL) {
        expect((try? HTTPURL(url.string)) == url.withoutDefaultPort, "parsed again: \(url)")
        let string = url.string
        expect(string.utf8.allSatisfy { $0 > 0x20 && $0 < 0x7F }, "visible ASCII: \(url)")
        expect(!string.contains { "\\#\"<>^`{|}".contains($0) }, "nothing that another parser reads differently: \(url)")
        expect(!url.authority.contains("@") && url.path.hasPrefix("/") && !url.path.hasDotSegment, "a plain target: \(url)")
        expect(url.effectivePort > 0, "a port")
        for item in url.queryItems { expect(item.name.utf8.count <= 3 * string.utf8.count, "a name is a part of the query") }
    }
}

extension HTTPURL {
    /// The default port is not written.
    fileprivate var withoutDefaultPort: HTTPURL {
        var url = self
        if port == scheme.defaultPort { url.port = nil }
        return url
    }
}
