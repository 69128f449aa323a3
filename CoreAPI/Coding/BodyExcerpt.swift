internal import CoreAPIHTTP
internal import CoreAPIJSON
internal import CoreAPIRedaction
internal import Foundation

/// The part of a body around an error, shortened, secrets redacted, without characters that steer a terminal.
struct BodyExcerpt {
    /// The largest number of bytes shown.
    static let length = 200
    /// Redaction must read everything before the excerpt. Beyond this many bytes, the start of the body is shown instead.
    private static let reach = 64 * 1_024

    private let body: Data
    private let redaction: Redaction

    init(of body: Data, redaction: Redaction) {
        self.body = body
        self.redaction = redaction
    }

    var beginning: String {
        let text = JSONText.utf8(of: body, atMost: 4 * Self.length)
        return shown(String(decoding: text, as: UTF8.self)).shortened(to: Self.length)
    }

    /// Whether this is a short body in which no word is a secret's name. The cause of an error often follows its offset, as in
    /// `[DONE]`.
    private var isShownWhole: Bool {
        guard body.count <= Self.length else { return false }
        let text = String(decoding: JSONText.utf8(of: body, atMost: Self.length), as: UTF8.self)
        // An escape may be part of a name.
        guard !text.utf8.contains(UInt8(ascii: "\\")) else { return false }
        let words = text.split { !$0.isLetter && !$0.isNumber && !"-_".contains($0) }
        return !(words + text.split(separator: "\"")).contains { redaction.hides(String($0)) }
    }

    /// The text before an offset, or the whole of a short body. The text after it was not read as JSON, so its secrets cannot be
    /// found. If the text before the offset is not JSON either, the start of the body.
    ///
    /// - Parameter offset: the number of UTF-8 bytes before the error.
    func before(_ offset: Int) -> String {
        guard offset <= Self.reach, !isShownWhole else { return beginning }
        let read = JSONText.utf8(of: body, atMost: offset)
        guard read.contains(where: { $0 > 0x20 }) else { return beginning }
        let text = shown(String(decoding: read, as: UTF8.self))
        let isEnd = offset >= body.count
        guard text.utf8.count > Self.length else { return isEnd ? text : text + "…" }
        var end = text.utf8.suffix(Self.length)
        while let first = end.first, first & 0xC0 == 0x80 { end.removeFirst() }
        return "…" + String(decoding: end, as: UTF8.self) + (isEnd ? "" : "…")
    }

    /// The value at a path, followed as far as possible, written as JSON again. A lone scalar explains little, so the object
    /// around it is added.
    ///
    /// - Parameter tree: the body.
    func at(_ path: [any CodingKey], in tree: JSONValue) -> String {
        var node = tree
        var scalar = ""
        for key in path {
            let found: (name: String, value: JSONValue)? =
                if let index = key.intValue, node.array != nil {
                    node[index].map { ("", $0) }
                } else {
                    node.object.flatMap { member(key.stringValue, of: $0) }
                }
            guard let (name, value) = found else { break }
            guard value.array != nil || value.object != nil else {
                scalar = (name.isEmpty ? "" : "\"\(name)\":") + json(value) + " in "
                break
            }
            node = value
        }
        let isCard = path.contains { SecretNames.isCard($0.stringValue) }
        return shown((scalar + json(node)).shortened(to: 4 * Self.length), isCard: isCard).shortened(to: Self.length)
    }

    /// The member of that name, or of a name with the same letters. A path has names as a type spells them: `userId` may mean
    /// `user_id`.
    private func member(_ name: String, of object: [String: JSONValue]) -> (name: String, value: JSONValue)? {
        if let value = object[name] { return (name, value) }
        let wanted = Redaction.normalized(name)
        let like = object.keys.filter { Redaction.normalized($0) == wanted }.min()
        return like.flatMap { name in object[name].map { (name, $0) } }
    }

    /// Little more JSON than is shown.
    private func json(_ node: JSONValue) -> String {
        var text = ""
        write(node, to: &text)
        return text
    }

    private func write(_ node: JSONValue, to text: inout String) {
        func isEnough() -> Bool { text.utf8.count > 4 * Self.length }
        switch node {
        case .object(let object):
            text += "{"
            for (index, key) in object.keys.sorted().enumerated() where !isEnough() {
                text += (index == 0 ? "" : ",") + scalar(.string(key)) + ":"
                write(object[key] ?? .null, to: &text)
            }
            text += "}"
        case .array(let array):
            text += "["
            for (index, item) in array.enumerated() where !isEnough() {
                if index > 0 { text += "," }
                write(item, to: &text)
            }
            text += "]"
        default: text += scalar(node)
        }
    }

    private func scalar(_ value: JSONValue) -> String {
        var encoder = JSONBodyEncoder()
        encoder.outputFormatting = .withoutEscapingSlashes
        return (try? encoder.encode(value)).map { String(decoding: $0, as: UTF8.self) } ?? ""
    }

    private func shown(_ text: String, isCard: Bool = false) -> String {
        redaction.redact(text: text, isCard: isCard).escapingControls
    }
}
