internal import CoreAPIJSON
internal import Foundation

/// The part of a body that an error is about, shortened, secrets redacted, nothing in it that steers a terminal.
struct BodyExcerpt {
    /// At most this many bytes of the body are shown.
    static let length = 200
    /// To know what is secret around a place, all before it is read; behind so many bytes the beginning is shown in its stead.
    private static let reach = 1_024 * 1_024

    private let body: Data
    private let redaction: Redaction

    init(of body: Data, redaction: Redaction) {
        self.body = body
        self.redaction = redaction
    }

    var beginning: String { shown(String(decoding: body.prefix(4 * Self.length), as: UTF8.self).shortened(to: Self.length)) }

    /// What lies around a place.
    ///
    /// - Parameter offset: bytes of UTF-8 before it.
    func around(_ offset: Int) -> String {
        let text = JSONText.utf8(of: body)
        guard offset <= Self.reach else { return beginning }
        let whole = redacted(text.prefix(offset + Self.length))
        let before = redacted(text.prefix(offset))
        // Masks move the place: it lies where both texts are still the same.
        let place = zip(whole, before).prefix { $0 == $1 }.count
        let start = boundary(in: whole, at: max(0, place - Self.length / 2))
        let end = endsInSecret(before) ? place : boundary(in: whole, at: min(whole.count, start + Self.length))
        let isCut = (start: start > 0, end: end < whole.count || offset + Self.length < text.count)
        return (isCut.start ? "…" : "") + String(decoding: whole[start..<end], as: UTF8.self).escapingControls
            + (isCut.end ? "…" : "")
    }

    private func redacted(_ text: some Sequence<UInt8>) -> [UInt8] {
        Array(redaction.redact(text: String(decoding: Array(text), as: UTF8.self)).utf8)
    }

    /// Whether the member that text ends in has a secret's name: what breaks its value, a quote in it for instance, ends the mask too early.
    private func endsInSecret(_ redacted: [UInt8]) -> Bool {
        let member = redacted.reversed().prefix { !",{[".utf8.contains($0) }.reversed()
        return String(decoding: Array(member), as: UTF8.self).split(separator: "\"").contains { redaction.hides($0) }
    }

    /// The beginning of the character that holds a byte.
    private func boundary(in text: [UInt8], at place: Int) -> Int {
        var place = place
        while place > 0, place < text.count, text[place] & 0xC0 == 0x80 { place -= 1 }
        return place
    }

    /// What a path leads to, walked down as far as it can be, written as JSON again. A lone scalar says little, so the object around it
    /// follows.
    ///
    /// - Parameter tree: the body, as `JSONSerialization` reads it.
    func at(_ path: [any CodingKey], in tree: Any) -> String {
        var node = tree
        var scalar = ""
        for key in path {
            let found: (name: String, value: Any)? =
                if let index = key.intValue, let array = node as? [Any] {
                    array.indices.contains(index) ? ("", array[index]) : nil
                } else {
                    (node as? [String: Any]).flatMap { member(key.stringValue, of: $0) }
                }
            guard let (name, value) = found else { break }
            guard value is [Any] || value is [String: Any] else {
                scalar = (name.isEmpty ? "" : "\"\(name)\":") + json(value) + " in "
                break
            }
            node = value
        }
        return shown((scalar + json(node)).shortened(to: Self.length))
    }

    /// Under that name; else under one of the same letters, because a path has names as a type has them: `userId` may stand for `user_id`.
    private func member(_ name: String, of object: [String: Any]) -> (name: String, value: Any)? {
        if let value = object[name] { return (name, value) }
        let wanted = Redaction.normalized(name)
        return object.first { Redaction.normalized($0.key) == wanted }.map { ($0.key, $0.value) }
    }

    private func json(_ node: Any) -> String {
        let options: JSONSerialization.WritingOptions = [.fragmentsAllowed, .sortedKeys, .withoutEscapingSlashes]
        return (try? JSONSerialization.data(withJSONObject: node, options: options)).map { String(decoding: $0, as: UTF8.self) }
            ?? ""
    }

    private func shown(_ text: String) -> String { redaction.redact(text: text).escapingControls }
}
