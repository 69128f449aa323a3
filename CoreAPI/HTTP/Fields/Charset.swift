public import Foundation
internal import HTTPTypes

/// A charset for reading bytes as text, by the name that a response declares.
///
/// Names are the labels of the WHATWG Encoding standard. Like browsers, this type reads `iso-8859-1` and `us-ascii` as
/// windows-1252. `iso-8859-9` is windows-1254, and `utf-16` is little-endian. A byte order mark wins over the name.
public struct Charset: Sendable, Hashable {
    /// As declared, in lower case.
    public let name: String
    private let form: Form

    fileprivate enum Form: Hashable {
        case utf8, utf16LittleEndian, utf16BigEndian, utf32LittleEndian, utf32BigEndian
        /// One byte is one character.
        case bytes(String.Encoding)
        /// One, two or four bytes are one character.
        case sequences(String.Encoding)
    }

    /// UTF-8.
    public static let utf8 = Charset(name: "utf-8", form: .utf8)

    private init(name: String, form: Form) { (self.name, self.form) = (name, form) }

    /// Looks up a name without regard to case, surrounding white space, quotes, hyphens and underscores.
    ///
    /// - Throws: ``Charset/DecodingError/unknown(_:)`` for a name that is no label of the WHATWG table or has no coding in
    ///   Foundation.
    public init(named name: String) throws(Charset.DecodingError) {
        let key = name.trimmingHTTPWhitespace().lowercased().filter { $0 != "'" && $0 != "\"" }
        guard let form = Self.forms[key.filter { $0 != "-" && $0 != "_" }] else { throw .unknown(name.escapingControls) }
        self.init(name: key, form: form)
    }

    /// The text, if all bytes are valid in this charset. A byte order mark is removed.
    ///
    /// - Throws: ``Charset/DecodingError/malformed(_:)`` if bytes are invalid in this charset, or in the one that a byte order
    ///   mark names.
    public func text(of data: Data) throws(Charset.DecodingError) -> String {
        let (form, body) = sniff(data)
        guard let text = form.text(of: body, isStrict: true) else { throw .malformed(name) }
        return text
    }

    /// The text, with U+FFFD for invalid bytes. A byte order mark is removed.
    public func lenientText(of data: Data) -> String {
        let (form, body) = sniff(data)
        return form.text(of: body, isStrict: false) ?? String(decoding: body, as: UTF8.self)
    }

    /// The form that a byte order mark names, else the charset's own (WHATWG Encoding §6).
    private func sniff(_ data: Data) -> (form: Form, body: Data) {
        if form == .utf32LittleEndian, data.starts(with: [0xFF, 0xFE, 0, 0]) { return (form, data.dropFirst(4)) }
        if form == .utf32LittleEndian || form == .utf32BigEndian, data.starts(with: [0, 0, 0xFE, 0xFF]) {
            return (.utf32BigEndian, data.dropFirst(4))
        }
        if data.starts(with: [0xEF, 0xBB, 0xBF]) { return (.utf8, data.dropFirst(3)) }
        if data.starts(with: [0xFE, 0xFF]) { return (.utf16BigEndian, data.dropFirst(2)) }
        if data.starts(with: [0xFF, 0xFE]) { return (.utf16LittleEndian, data.dropFirst(2)) }
        return (form, data)
    }
}

extension Charset.Form {
    /// - Returns: `nil` if it is strict and a byte is invalid.
    fileprivate func text(of data: Data, isStrict: Bool) -> String? {
        switch self {
        case .utf8: isStrict ? String(validating: data, as: UTF8.self) : String(decoding: data, as: UTF8.self)
        case .utf16LittleEndian: Self.units(data, UTF16.self, isLittleEndian: true, isStrict: isStrict)
        case .utf16BigEndian: Self.units(data, UTF16.self, isLittleEndian: false, isStrict: isStrict)
        case .utf32LittleEndian: Self.units(data, UTF32.self, isLittleEndian: true, isStrict: isStrict)
        case .utf32BigEndian: Self.units(data, UTF32.self, isLittleEndian: false, isStrict: isStrict)
        case .bytes(let encoding): Self.bytes(data, encoding, isStrict: isStrict)
        case .sequences(let encoding): Self.read(data, encoding) ?? (isStrict ? nil : Self.sequences(Array(data), encoding))
        }
    }

    /// Foundation's text, without the private characters that it uses for bytes without a meaning. U+F8FF is Apple's logo.
    private static func read(_ data: Data, _ encoding: String.Encoding) -> String? {
        let text = String(data: data, encoding: encoding)
        return text?.unicodeScalars.contains { (0xF8C0...0xF8FE).contains($0.value) } == true ? nil : text
    }

    private static func units<Encoding: Unicode.Encoding>(
        _ data: Data, _: Encoding.Type, isLittleEndian: Bool, isStrict: Bool
    ) -> String? where Encoding.CodeUnit: FixedWidthInteger {
        let excess = data.count % MemoryLayout<Encoding.CodeUnit>.size
        var units: [Encoding.CodeUnit] = data.dropLast(excess).codeUnits() ?? []
        if isLittleEndian { units = units.map(\.byteSwapped) }
        if isStrict { return excess == 0 ? String(validating: units, as: Encoding.self) : nil }
        if excess > 0 { units.append(0xFFFD) }
        return String(decoding: units, as: Encoding.self)
    }

    private static func bytes(_ data: Data, _ encoding: String.Encoding, isStrict: Bool) -> String? {
        let upper = (UInt8(0x80)...0xFF).map { byte -> Unicode.Scalar? in
            if let scalar = read(Data([byte]), encoding)?.unicodeScalars.first { return scalar }
            // Bytes below 0xA0 that Microsoft left undefined are C1 controls in the WHATWG's tables.
            return byte < 0xA0 ? Unicode.Scalar(byte) : nil
        }
        var text = String.UnicodeScalarView()
        for byte in data {
            let scalar = byte < 0x80 ? Unicode.Scalar(byte) : upper[Int(byte) - 0x80]
            if isStrict, scalar == nil { return nil }
            text.append(scalar ?? "\u{FFFD}")
        }
        return String(text)
    }

    /// Reads run by run if the whole cannot be read. A byte below 0x30 is part of no sequence, so a run ends before one.
    private static func sequences(_ bytes: [UInt8], _ encoding: String.Encoding) -> String {
        var text = ""
        var start = 0
        while start < bytes.count {
            let end = bytes[(start + 1)...].firstIndex { $0 < 0x30 } ?? bytes.count
            text += read(Data(bytes[start..<end]), encoding) ?? pieces(bytes[start..<end], encoding)
            start = end
        }
        return text
    }

    private static func pieces(_ run: ArraySlice<UInt8>, _ encoding: String.Encoding) -> String {
        var text = ""
        var rest = run
        while let byte = rest.first {
            let piece = (byte < 0x80 ? [1] : [1, 2, 4]).lazy.compactMap { length in
                read(Data(rest.prefix(length)), encoding).map { (length, $0) }
            }.first { $0.1.unicodeScalars.count == 1 }
            text += piece?.1 ?? "\u{FFFD}"
            rest = rest.dropFirst(piece?.0 ?? 1)
        }
        return text
    }
}

extension Charset {
    /// The labels of the WHATWG Encoding standard §4.2, without hyphens and underscores, and those of UTF-32.
    private static let forms: [String: Form] = {
        let labels: [(Form, String)] =
            [
                (.utf8, "utf8 unicode11utf8 unicode20utf8 xunicode20utf8"),
                (.utf16LittleEndian, "utf16 utf16le unicode ucs2 csunicode iso10646ucs2 unicodefeff"),
                (.utf16BigEndian, "utf16be unicodefffe"), (.utf32LittleEndian, "utf32 utf32le"), (.utf32BigEndian, "utf32be"),
            ]
            + singleByteLabels.map { (.bytes(encoding($0)), $1) } + sequenceLabels.map { (.sequences(encoding($0)), $1) }
        return labels.reduce(into: [:]) { forms, entry in
            for label in entry.1.split(separator: " ") { forms[String(label)] = entry.0 }
        }
    }()

    /// Foundation's encoding of a `CFStringEncoding`, which this bit marks.
    private static func encoding(_ number: UInt) -> String.Encoding { String.Encoding(rawValue: 0x8000_0000 | number) }

    /// By `CFStringEncoding`.
    private static let singleByteLabels: [(UInt, String)] = [
        (0x041B, "ibm866 866 cp866 csibm866"),
        (0x0202, "iso88592 iso885921987 iso88592:1987 csisolatin2 isoir101 l2 latin2"),
        (0x0203, "iso88593 iso88593:1988 csisolatin3 isoir109 l3 latin3"),
        (0x0204, "iso88594 iso88594:1988 csisolatin4 isoir110 l4 latin4"),
        (0x0205, "iso88595 iso88595:1988 csisolatincyrillic cyrillic isoir144"),
        (0x0206, "iso88596 iso88596:1987 iso88596e iso88596i arabic asmo708 csiso88596e csiso88596i csisolatinarabic"),
        (0x0206, "ecma114 isoir127"),
        (0x0207, "iso88597 iso88597:1987 csisolatingreek ecma118 elot928 greek greek8 isoir126 suneugreek"),
        (0x0208, "iso88598 iso88598:1988 iso88598e iso88598i csiso88598e csiso88598i csisolatinhebrew hebrew isoir138"),
        (0x0208, "logical visual"),
        (0x020A, "iso885910 csisolatin6 isoir157 l6 latin6"), (0x020D, "iso885913"), (0x020E, "iso885914"),
        (0x020F, "iso885915 csisolatin9 l9"), (0x0210, "iso885916"), (0x0A02, "koi8r cskoi8r koi koi8"), (0x0A08, "koi8u koi8ru"),
        (0, "macintosh csmacintosh mac xmacroman"), (7, "xmaccyrillic xmacukrainian"),
        (0x041D, "windows874 dos874 iso885911 tis620"), (0x0501, "windows1250 cp1250 xcp1250"),
        (0x0502, "windows1251 cp1251 xcp1251"),
        (0x0500, "windows1252 cp1252 xcp1252 ascii usascii ansix3.41968 iso88591 iso88591:1987 latin1 l1 cp819 ibm819"),
        (0x0500, "csisolatin1 isoir100"),
        (0x0503, "windows1253 cp1253 xcp1253"),
        (0x0504, "windows1254 cp1254 xcp1254 iso88599 iso88599:1989 latin5 l5 csisolatin5 isoir148"),
        (0x0505, "windows1255 cp1255 xcp1255"), (0x0506, "windows1256 cp1256 xcp1256"), (0x0507, "windows1257 cp1257 xcp1257"),
        (0x0508, "windows1258 cp1258 xcp1258"),
    ]

    /// By `CFStringEncoding`. Foundation on Linux has no EUC-JP.
    private static let sequenceLabels: [(UInt, String)] = [
        (0x0632, "gb18030 gbk xgbk gb2312 gb231280 chinese csgb2312 csiso58gb231280 isoir58"),
        (0x0A06, "big5 big5hkscs cnbig5 csbig5 xxbig5"),
        (0x0422, "euckr windows949 cseuckr csksc56011987 isoir149 korean ksc56011987 ksc56011989 ksc5601"),
        (0x0420, "shiftjis sjis xsjis csshiftjis ms932 mskanji windows31j"), (0x0821, "iso2022jp csiso2022jp"),
    ]

    /// Why ``Charset`` or ``Response/exactText`` could not read bytes as text.
    public enum DecodingError: Error, Sendable, Hashable, LocalizedError {
        /// The kit does not know the declared charset.
        case unknown(String)
        /// The bytes are invalid in the declared charset.
        case malformed(String)

        public var errorDescription: String? {
            switch self {
            case .unknown(let name): "the charset '\(name)' is not known; expected a label of the WHATWG Encoding standard"
            case .malformed(let name): "the body is declared as \(name), but its bytes are not"
            }
        }
    }
}
