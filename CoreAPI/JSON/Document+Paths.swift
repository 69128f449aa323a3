internal import Foundation

/// Paths to numbers, found by their offset in the text.
extension Document {
    /// The path to the number at a byte offset; empty if no number begins there.
    ///
    /// The strategy converts the keys. Those of a `[String: Value]` cannot be told apart here, and are converted too.
    func path(toNumberAt offset: Int) -> [any CodingKey] {
        var path: [any CodingKey] = []
        guard let number = number(at: offset) else { return path }
        var current = Self.root
        while current != number, let child = child(of: current, holding: number, path) {
            path.append(child.key)
            current = child.value
        }
        return path
    }

    private func number(at offset: Int) -> Int? {
        var current = Self.root
        while current < index(after: Self.root) {
            let entry = entry(current)
            if entry.is(.number), entry.offset == offset { return current }
            current += entry.is(.object) ? 2 : 1
        }
        return nil
    }

    private func child(of collection: Int, holding number: Int, _ path: [any CodingKey]) -> (key: any CodingKey, value: Int)? {
        let entry = entry(collection)
        guard entry.isCollection else { return nil }
        let isObject = entry.is(.object)
        var item = 0
        var current = collection + (isObject ? 2 : 1)
        while current < entry.end {
            let value = isObject ? current + 1 : current
            if number < index(after: value) {
                guard isObject else { return (ItemKey(item), value) }
                return (converted((try? key(current)) ?? "", path), value)
            }
            current = index(after: value)
            item += 1
        }
        return nil
    }

    private func converted(_ name: String, _ path: [any CodingKey]) -> any CodingKey {
        switch settings.keys {
        case .convertFromSnakeCase: NameKey(stringValue: convertedNames.converted(name))
        case .custom(let convert): convert(path + [NameKey(stringValue: name)])
        default: NameKey(stringValue: name)
        }
    }
}
