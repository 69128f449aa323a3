import CoreAPI
import Foundation

/// One of the command's two output streams, with the colours that it can show.
struct Console: Sendable {
    /// For results.
    static let output = Console(descriptor: STDOUT_FILENO)
    /// For errors only, so that results can be piped.
    static let error = Console(descriptor: STDERR_FILENO)

    let palette: Palette
    private let descriptor: Int32

    private init(descriptor: Int32) {
        self.descriptor = descriptor
        palette = Palette(isTerminal: isatty(descriptor) == 1, variables: ProcessInfo.processInfo.environment)
    }

    /// Writes the text and ends the line if necessary. Unbuffered, so that the reader of a pipe sees it at once.
    func write(_ text: String) {
        let line = text.hasSuffix("\n") ? text : text + "\n"
        // A reader that has closed the pipe (`| head`) is not an error.
        try? FileHandle(fileDescriptor: descriptor, closeOnDealloc: false).write(contentsOf: Data(line.utf8))
    }

    /// Writes an error in the command's usual form. It is escaped, because it may contain text from a server, which must not
    /// control the terminal.
    func write(failure reason: String) {
        write("\(palette.paint("error:", .bad)) \(reason.escapingControls)")
    }

    /// Writes advice about a failure.
    func write(hint: String) {
        write("\(palette.paint("hint:", .strong)) \(hint.escapingControls)")
    }
}
