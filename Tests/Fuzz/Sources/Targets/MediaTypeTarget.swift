import Foundation

@testable import CoreAPIHTTP

extension FuzzTarget {
    /// A `Content-Type` on the first line, and a body in the charset that it names below it.
    static let mediaType = FuzzTarget(name: "media-type") { input in
        var input = input
        let line = input.lineOfText()
        guard let type = MediaType(line) else { return }
        let written = type.essence.utf8.count + type.parameters.reduce(0) { $0 + $1.key.utf8.count + $1.value.utf8.count }
        // Lower case can take more bytes than what it is made from.
        expect(written <= 3 * line.utf8.count, "no more comes out than went in")
        checkRendered(type)
        if let name = type.parameters["charset"] { check(name, input.data) }
    }

    /// Only values made of tokens can be written.
    private static func checkRendered(_ type: MediaType) {
        guard (Array(type.parameters.keys) + type.essence.split(separator: "/").map(String.init)).allSatisfy({ $0.isToken })
        else { return }
        let rendered = type.parameters.reduce(into: type.essence) { text, parameter in
            text += "; \(parameter.key)=\(parameter.value.quoted)"
        }
        expect(MediaType(rendered) == type, "rendered and parsed again: \(rendered.debugDescription)")
    }

    private static func check(_ name: String, _ body: Data) {
        guard let charset = try? Charset(named: name) else { return }
        expect((try? Charset(named: charset.name)) == charset, "a charset is found by its own name")
        guard let text = try? charset.text(of: body) else { return }
        expect(text.utf8.count <= 3 * body.count, "a byte becomes three at the most")
        switch form(of: body, named: charset.name.filter { $0 != "-" && $0 != "_" }) {
        case "utf8", "usascii", "ascii":
            let mark = Data([0xEF, 0xBB, 0xBF])
            expect(Data(text.utf8) == (body.starts(with: mark) ? body.dropFirst(3) : body), "UTF-8 stays as it is")
        case "utf16":
            expect((0...1).contains(body.count / 2 - text.utf16.count), "UTF-16 stays as it is, but for a mark")
        case "utf32":
            expect((0...1).contains(body.count / 4 - text.unicodeScalars.count), "UTF-32 stays as it is, but for a mark")
        default: expect(text.unicodeScalars.count <= body.count, "a character takes a byte or more")
        }
    }

    /// The encoding that a byte order mark names, else the charset's (WHATWG Encoding §6).
    private static func form(of body: Data, named key: String) -> String {
        let isUTF32 = key.hasPrefix("utf32")
        if isUTF32, body.starts(with: [0, 0, 0xFE, 0xFF]) { return "utf32" }
        if isUTF32, key != "utf32be", body.starts(with: [0xFF, 0xFE, 0, 0]) { return "utf32" }
        if body.starts(with: [0xEF, 0xBB, 0xBF]) { return "utf8" }
        if body.starts(with: [0xFE, 0xFF]) || body.starts(with: [0xFF, 0xFE]) { return "utf16" }
        return isUTF32 ? "utf32" : key.hasPrefix("utf16") ? "utf16" : key
    }
}

extension String {
    /// As a quoted string (RFC 9110 §5.6.4), scalar by scalar: a combining character makes another letter of a quote.
    var quoted: String {
        var text = "\"".unicodeScalars
        for scalar in unicodeScalars {
            if scalar == "\"" || scalar == "\\" { text.append("\\") }
            text.append(scalar)
        }
        text.append("\"")
        return String(text)
    }

    /// RFC 9110 §5.6.2.
    fileprivate var isToken: Bool {
        !isEmpty && utf8.allSatisfy { $0 > 0x20 && $0 < 0x7F && !"\"(),/:;<=>?@[\\]{}".utf8.contains($0) }
    }
}
