import ArgumentParser
import CoreAPI
import CoreAPIHTTP
import Foundation

/// One item of a request, in HTTPie's notation.
///
/// The first separator of the word decides, and of two that begin at the same character the longer one. A backslash before a
/// separator makes it a part of the name.
struct RequestItem: Sendable, Hashable {
    enum Kind: Sendable, Hashable {
        /// `name=value`: a parameter, in the body or the query, as the method has it.
        case text
        /// `name:=3`: a value in JSON.
        case json
        /// `name==value`: in the query, whatever the method.
        case query
        /// `Name:value`
        case header
        /// `name@path`: a file of a form.
        case file
    }

    let kind: Kind
    let name: String
    /// The path of a ``Kind/file``.
    let value: String
    /// Whether the value was read from standard input, which ends with it.
    var readsStandardInput = false

    init(_ kind: Kind, _ name: String, _ value: String) {
        self.kind = kind
        self.name = name
        self.value = value
    }

    /// Longer ones first. After each but `@`, a further `@` means that the value is in a file.
    private static let separators: [(text: String, kind: Kind)] = [
        (":=", .json), ("==", .query), ("=", .text), (":", .header), ("@", .file),
    ]
    static let forms = "name=value, name:=JSON, name==value for the query, Name:value for a header, or name@file"

    /// - Throws: `ValidationError` that states what was expected, or which file cannot be read.
    init(_ word: String) throws {
        var name = ""
        var rest = word[...]
        while let scalar = rest.unicodeScalars.first {
            if scalar == "\\", let next = rest.unicodeScalars.dropFirst().first, ":=@\\".unicodeScalars.contains(next) {
                name.unicodeScalars.append(next)
                rest.unicodeScalars.removeFirst(2)
                continue
            }
            if let (separator, value) = Self.separator(at: rest) {
                try self.init(separator, name, after: value, of: word)
                let path = separator == .file ? value : value.after("@") ?? ""
                readsStandardInput = CommandFile(String(path)).isStandardInput
                return
            }
            if rest.utf8.elementsEqual(";".utf8), !name.isEmpty {
                try self.init(header: name, "", of: word)
                return
            }
            name.unicodeScalars.append(scalar)
            rest.unicodeScalars.removeFirst()
        }
        throw ValidationError("expected \(Self.forms), got '\(word.escapingControls)'")
    }

    /// The separator at the beginning of a text, and the text after it.
    private static func separator(at text: Substring) -> (Kind, after: Substring)? {
        separators.lazy.compactMap { separator in text.after(separator.text).map { (separator.kind, $0) } }.first
    }

    private init(_ kind: Kind, _ name: String, after rest: Substring, of word: String) throws {
        guard !name.isEmpty else {
            throw ValidationError("expected a name before the separator, as in \(Self.forms), got '\(word.escapingControls)'")
        }
        var value = String(rest)
        var file: String?
        if kind != .file, let path = rest.after("@").map(String.init) {
            file = path.escapingControls
            value = try CommandFile(path).text(for: "the value of '\(name.escapingControls)'")
            // An editor ends a file with a line end, which is no part of a token. HTTPie removes it, too.
            if kind == .header || kind == .query, value.last == "\n" || value.last == "\r\n" { value.removeLast() }
        } else if rest.after("\\@") != nil {
            value.unicodeScalars.removeFirst()
        }
        switch kind {
        case .header: try self.init(header: name, value, of: word)
        case .json:
            guard (try? JSONValue(parsing: Data(value.utf8))) != nil else {
                let name = name.escapingControls
                throw ValidationError(
                    file.map { "expected JSON in '\($0)'; for text write \(name)=@\($0)" }
                        ?? "expected JSON after '\(name):=', such as 3, true or [1,2]; for text write \(name)=…")
            }
            self.init(.json, name, value)
        case .file:
            guard value != "-" else { throw ValidationError("a form's file needs a path; expected no '-'") }
            guard !value.isEmpty else { throw ValidationError("expected a file after '\(name.escapingControls)@'") }
            self.init(.file, name, value)
        case .text, .query: self.init(kind, name, value)
        }
    }

    private init(header name: String, _ value: String, of word: String) throws {
        guard !value.isEmpty || word.utf8.last == UInt8(ascii: ";") else {
            throw ValidationError(
                "expected a value after '\(name.escapingControls):'; '\(name.escapingControls);' sends the header without one")
        }
        let line = try HeaderLine(name: name, value: value)
        self.init(.header, line.name, line.value)
    }
}

/// A file that an argument names; `-` is standard input.
struct CommandFile: Sendable, Hashable {
    let path: String

    init(_ path: String) {
        self.path = path
    }

    var isStandardInput: Bool { ["-", "/dev/stdin", "/dev/fd/0", "/proc/self/fd/0"].contains(path) }

    /// - Throws: `ValidationError` with the system's reason.
    func data(for purpose: String) throws -> Data {
        do {
            if path == "-" { return try FileHandle.standardInput.readToEnd() ?? Data() }
            // A pipe, such as /dev/stdin or a shell's <(…), has no size, and Data(contentsOf:) rejects it.
            let file = try FileHandle(forReadingFrom: URL(fileURLWithPath: path))
            return try file.readToEnd() ?? Data()
        } catch {
            throw ValidationError(
                "cannot read \(purpose) from '\(path.escapingControls)': \(error.systemReason); expected a readable file, or "
                    + "@- for standard input")
        }
    }

    /// - Throws: `ValidationError` with the system's reason, or if the file is not UTF-8.
    func text(for purpose: String) throws -> String {
        guard let text = String(validating: try data(for: purpose), as: UTF8.self) else {
            throw ValidationError("cannot read \(purpose) from '\(path.escapingControls)': expected UTF-8")
        }
        return text
    }
}

extension Error {
    /// The system's own words, such as `No such file or directory`, for an error of a file; else the error's description.
    package var systemReason: String {
        if let failure = self as? FileFailure { return failure.reason }
        let error = self as NSError
        let cause = error.userInfo[NSUnderlyingErrorKey] as? NSError ?? error
        return cause.domain == NSPOSIXErrorDomain ? String(cString: strerror(Int32(cause.code))) : localizedDescription
    }
}
