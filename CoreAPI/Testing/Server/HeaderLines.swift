/// Header lines as on the wire: in order, in their original case, with repetitions.
///
/// A literal may repeat a header, for example to send a conflicting `Content-Length`:
/// `["Content-Length": "3", "Content-Length": "5"]`.
public struct HeaderLines: Sendable, Hashable, RandomAccessCollection, ExpressibleByDictionaryLiteral {
    /// One header line.
    public struct Line: Sendable, Hashable {
        /// The name, in its original case.
        public let name: String
        /// The value; for a received line without surrounding white space.
        public let value: String

        /// Makes a line. It is not checked: a line break in it is sent unchanged.
        public init(name: String, value: String) {
            self.name = name
            self.value = value
        }
    }

    private var lines: [Line]

    /// Makes a list of lines, none by default.
    public init(_ lines: [Line] = []) {
        self.lines = lines
    }

    /// Makes a list from `"Name": "value"` pairs, in order, repetitions kept.
    public init(dictionaryLiteral elements: (String, String)...) {
        lines = elements.map { Line(name: $0.0, value: $0.1) }
    }

    /// The index of the first line.
    public var startIndex: Int { lines.startIndex }
    /// The index after the last line.
    public var endIndex: Int { lines.endIndex }
    /// The line at an index.
    public subscript(position: Int) -> Line { lines[position] }

    /// The value of the first line with this name, whatever its case; nil if there is none.
    public subscript(name: String) -> String? { all(name).first }

    /// The values of all lines with this name, whatever its case, in order.
    public func all(_ name: String) -> [String] {
        let wanted = name.lowercased()
        return lines.filter { $0.name.lowercased() == wanted }.map(\.value)
    }

    /// Adds a line at the end.
    public mutating func append(_ name: String, _ value: String) {
        lines.append(Line(name: name, value: value))
    }

    /// These lines, with one added at the end unless the name exists already.
    func adding(_ name: String, _ value: String) -> HeaderLines {
        guard self[name] == nil else { return self }
        var copy = self
        copy.append(name, value)
        return copy
    }

    /// The lines as bytes for the wire, each with its line end.
    var wireText: String {
        lines.map { "\($0.name): \($0.value)\r\n" }.joined()
    }
}
