/// Header lines as they stand on the wire: in order, in the case they were written, with repetitions.
///
/// A literal may name a header twice, which is how a conflicting `Content-Length` is sent:
/// `["Content-Length": "3", "Content-Length": "5"]`.
public struct HeaderLines: Sendable, Hashable, RandomAccessCollection, ExpressibleByDictionaryLiteral {
    /// One header line.
    public struct Line: Sendable, Hashable {
        /// The name, in the case it was written.
        public let name: String
        /// The value, without the white space around it when it was received.
        public let value: String

        /// Makes a line. Nothing is checked: a line break in it goes out as it is.
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

    /// The position of the first line.
    public var startIndex: Int { lines.startIndex }
    /// The position after the last line.
    public var endIndex: Int { lines.endIndex }
    /// The line at a position.
    public subscript(position: Int) -> Line { lines[position] }

    /// The value of the first line with this name, whatever its case; nil when there is none.
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

    /// These lines, with one added at the end unless its name is there already.
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
