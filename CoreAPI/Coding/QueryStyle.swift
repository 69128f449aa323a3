public import Foundation

extension Parameters {
    /// How values become the names and values of a query or a form.
    ///
    /// | Value | Written |
    /// |---|---|
    /// | `nil` | left out, in arrays too, before they are numbered |
    /// | text | percent-encoded UTF-8; only letters, digits and `-._~` stand for themselves (RFC 3986 §2.3) |
    /// | `true`, `false` | ``booleans`` |
    /// | numbers | Swift's shortest exact form; NaN and infinity are errors |
    /// | `Date` | ``dates``, ISO 8601 in UTC by default |
    /// | `Data`, `URL` | base64; the absolute URL |
    /// | array | ``arrays``; of arrays or objects `a[0][b]`, with ``Arrays/nestedBrackets`` `a[][b]` |
    /// | `Set` | as an array, sorted by the bytes of its texts |
    /// | object | `a[b]=c`, keys in the order in which the value encodes them |
    /// | `Dictionary` | as an object, keys sorted by their bytes |
    ///
    /// Names are compared as bytes: `é` as one code point and as two are two names.
    ///
    /// A channel has one style for all its endpoints, ``Channel/query``:
    ///
    /// ```swift
    /// channel.query = .alamofire
    /// ```
    public struct QueryStyle: Sendable {
        /// How an array is written.
        public enum Arrays: Sendable {
            /// `a=1&a=2`, as in OpenAPI's default style.
            case repeated
            /// `a[]=1&a[]=2`, as in PHP.
            case brackets
            /// `a[]=1&a[]=2`, and `a[][b]=1` for arrays of objects, as in Rails and Alamofire.
            case nestedBrackets
            /// `a[0]=1&a[1]=2`
            case indexed
            /// `a=1,2`; a comma inside a value is encoded like the separating commas.
            case commaSeparated
        }

        /// How a boolean is written.
        public enum Booleans: Sendable {
            /// `true` and `false`
            case words
            /// `1` and `0`
            case digits
        }

        /// How a date is written.
        public enum Dates: Sendable {
            /// `2026-01-31T08:00:00Z`
            case iso8601
            /// Seconds since 1970.
            case secondsSince1970
            /// Milliseconds since 1970.
            case millisecondsSince1970
            /// Seconds since 2001-01-01 with a fraction, as `Date` encodes itself and Alamofire writes it.
            case deferredToDate
            /// The text that a function returns.
            case custom(@Sendable (Date) throws -> String)
        }

        /// Default ``Arrays/repeated``.
        public var arrays: Arrays
        /// Default ``Booleans/words``.
        public var booleans: Booleans
        /// Default ``Dates/iso8601``.
        public var dates: Dates

        /// Makes a style; each part that is left out is that of ``standard``.
        public init(arrays: Arrays = .repeated, booleans: Booleans = .words, dates: Dates = .iso8601) {
            (self.arrays, self.booleans, self.dates) = (arrays, booleans, dates)
        }

        /// Repeated names, words, ISO 8601.
        public static let standard = Parameters.QueryStyle()

        /// The style of backends built for Alamofire: brackets for arrays, digits for booleans, dates as they encode themselves.
        /// The order of names is the kit's; Alamofire sorts all of them.
        public static let alamofire = Parameters.QueryStyle(arrays: .nestedBrackets, booleans: .digits, dates: .deferredToDate)

        func text(_ date: Date, at codingPath: [any CodingKey]) throws -> String {
            guard date.timeIntervalSince1970.isFinite else {
                throw EncodingError.invalidValue(date, .init(codingPath: codingPath, debugDescription: "expected a finite date"))
            }
            return switch dates {
            case .iso8601: date.formatted(.iso8601)
            case .secondsSince1970: Self.text(date.timeIntervalSince1970.rounded(.down))
            case .millisecondsSince1970: Self.text((date.timeIntervalSince1970 * 1_000).rounded(.down))
            case .deferredToDate: String(date.timeIntervalSinceReferenceDate)
            case .custom(let write): try write(date)
            }
        }

        func text(_ value: Bool) -> String {
            switch booleans {
            case .words: value ? "true" : "false"
            case .digits: value ? "1" : "0"
            }
        }

        private static func text(_ whole: Double) -> String {
            Int64(exactly: whole).map(String.init) ?? String(whole)
        }
    }
}
