public import CoreAPICoding
public import CoreAPICore
internal import CoreAPIHTTP
internal import Foundation

extension Body {
    /// The values of JSON Lines (also called NDJSON): one JSON text a line, decoded as they arrive. Empty lines are ignored.
    /// Objects, arrays and strings may also follow each other without a line end, `{}{}`. No line may have more than `lineLimit`
    /// bytes. A call's own sequence, ``Dispatcher/jsonLines(_:of:lineLimit:)``, uses the channel's coder.
    public func jsonLines<Value: Decodable & Sendable>(
        of type: Value.Type = Value.self, coder: BodyCoder = .json, lineLimit: Int = 16_777_216
    ) -> Body.JSONItems<Value> { Body.JSONItems(body: self, form: .lines, limit: lineLimit, coder: coder, context: .body) }

    /// The values of a JSON text sequence (RFC 7464): each begins with a record separator and ends with a line feed. No text may
    /// have more than `textLimit` bytes. One that breaks off, for example because its writer stopped, fails with
    /// ``StreamError/Reason/truncatedText``.
    public func jsonSequence<Value: Decodable & Sendable>(
        of type: Value.Type = Value.self, coder: BodyCoder = .json, textLimit: Int = 16_777_216
    ) -> Body.JSONItems<Value> { Body.JSONItems(body: self, form: .sequence, limit: textLimit, coder: coder, context: .body) }

    /// The values of JSON Lines or of a JSON text sequence; see ``Body/jsonLines(of:coder:lineLimit:)``.
    ///
    /// A value that cannot be decoded ends the loop. To read the values after it (RFC 7464 §2.1), make the iterator yourself and
    /// call ``AsyncIterator/next()`` again.
    public struct JSONItems<Value: Decodable & Sendable>: AsyncSequence, Sendable {
        enum Form {
            case lines, sequence
        }

        let body: Body
        let form: Form
        let limit: Int
        let coder: BodyCoder
        let context: StreamContext

        /// Reads the values once.
        public struct AsyncIterator: AsyncIteratorProtocol {
            private let items: Body.JSONItems<Value>
            private var texts: LineReader
            private var isFirst = true

            init(_ items: Body.JSONItems<Value>) {
                let parser =
                    items.form == .sequence
                    ? LineParser(separator: 0x1E, limit: items.limit)
                    // One document of JSON may be laid out over several lines.
                    : LineParser(jsonLimit: items.limit, spansLines: items.context.head?.mediaType?.isJSON == true)
                texts = LineReader(CountedBody(items.body, items.context), parser)
                self.items = items
            }

            /// The next value; `nil` at the end.
            ///
            /// - Throws: ``StreamError``, or the error of the body.
            public mutating func next() async throws -> Value? {
                while let text = try await texts.next() {
                    let isBeforeFirst = isFirst && items.form == .sequence
                    isFirst = false
                    guard let content = text.trimmingJSONWhitespace else { continue }
                    guard !isBeforeFirst else { throw texts.fail(.noRecordSeparator, of: content) }
                    return try await value(content, isComplete: items.form == .lines || text.last?.isJSONSpace == true)
                }
                return nil
            }

            private mutating func value(_ text: Data, isComplete: Bool) async throws -> Value {
                // A truncated number or word may look like a whole one (RFC 7464 §2.4).
                if !isComplete, let last = text.last, !#"}]""#.utf8.contains(last) {
                    throw texts.body.failure(.truncatedText, of: text)
                }
                do {
                    let value = try await items.coder.decodeDetached(Value.self, from: text)
                    texts.body.count.items += 1
                    return value
                } catch {
                    guard isComplete else { throw texts.body.failure(.truncatedText, of: text) }
                    let redaction = items.context.redaction
                    let failure = DecodingFailure(error, expected: "\(Value.self)", body: text, redaction: redaction)
                    throw texts.body.failure(.undecodable(failure), of: text)
                }
            }
        }

        public func makeAsyncIterator() -> AsyncIterator { AsyncIterator(self) }
    }
}

extension Data {
    /// `nil` if all bytes are whitespace.
    fileprivate var trimmingJSONWhitespace: Data? {
        guard let first = firstIndex(where: { !$0.isJSONSpace }), let last = lastIndex(where: { !$0.isJSONSpace }) else {
            return nil
        }
        return self[first...last]
    }
}

extension UInt8 {
    /// JSON's whitespace (RFC 8259 §2).
    fileprivate var isJSONSpace: Bool { self == 0x20 || self == 0x09 || self == 0x0A || self == 0x0D }
}

extension MediaType {
    /// Whether this is the type of one JSON document (RFC 8259 §11, RFC 6839 §3.1).
    fileprivate var isJSON: Bool { essence == "application/json" || essence.hasSuffix("+json") }
}
