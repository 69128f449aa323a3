import CoreAPI
package import Foundation

/// One of the command's two output streams, with the colours that it can show.
package struct Console: Sendable {
    /// For results.
    package static let output = Console(descriptor: STDOUT_FILENO)
    /// For errors only, so that results can be piped.
    package static let error = Console(descriptor: STDERR_FILENO)

    /// What people read about a result: standard output if it is a terminal, else standard error.
    package static let report = output.isTerminal ? output : error

    package let palette: Palette
    package let isTerminal: Bool
    private let descriptor: Int32

    private init(descriptor: Int32) {
        self.descriptor = descriptor
        isTerminal = isatty(descriptor) == 1
        palette = Palette(
            isTerminal: isTerminal, columns: Self.columns(of: descriptor), variables: ProcessInfo.processInfo.environment)
    }

    /// The width of the terminal in characters, now; `nil` if it is not known, or if there is no terminal.
    package var columns: Int? { Self.columns(of: descriptor) }

    private static func columns(of descriptor: Int32) -> Int? {
        var size = winsize()
        guard ioctl(descriptor, UInt(TIOCGWINSZ), &size) == 0, size.ws_col > 0 else { return nil }
        return Int(size.ws_col)
    }

    /// Writes the text and ends the line if necessary. Unbuffered, so that the reader of a pipe sees it at once.
    package func write(_ text: String) {
        write(bytes: Data((text.hasSuffix("\n") ? text : text + "\n").utf8))
    }

    /// Writes the bytes and nothing else.
    package func write(bytes: Data) {
        do {
            try FileHandle(fileDescriptor: descriptor, closeOnDealloc: false).write(contentsOf: bytes)
        } catch {
            // A reader that has closed the pipe (`| head`) is not an error.
            guard descriptor != STDERR_FILENO, error.systemReason != String(cString: strerror(EPIPE)) else { return }
            Self.error.write(failure: "cannot write the output: \(error.systemReason)")
            exit(1)
        }
    }

    /// Writes an error in the command's usual form. It is escaped, because it may contain text from a server, which must not
    /// control the terminal.
    package func write(failure reason: String) {
        write("\(palette.paint("error:", .bad)) \(reason.escapingControls)")
    }

    /// Writes advice about a failure.
    package func write(hint: String) {
        write("\(palette.paint("hint:", .strong)) \(hint.escapingControls)")
    }
}
