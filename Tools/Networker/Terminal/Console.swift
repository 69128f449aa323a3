import CoreAPI
import Foundation

/// One of the two streams that the command writes to, with the colours that it can show.
struct Console: Sendable {
    /// Results.
    static let output = Console(descriptor: STDOUT_FILENO)
    /// What went wrong, and nothing else, so that results can be piped.
    static let error = Console(descriptor: STDERR_FILENO)

    let palette: Palette
    private let descriptor: Int32

    private init(descriptor: Int32) {
        self.descriptor = descriptor
        palette = Palette(isTerminal: isatty(descriptor) == 1, variables: ProcessInfo.processInfo.environment)
    }

    /// Writes the text and ends the line if it does not. Unbuffered, so that a reader at the other end of a pipe sees it at once.
    func write(_ text: String) {
        let line = text.hasSuffix("\n") ? text : text + "\n"
        // A reader that has gone away (`| head`) is no error of ours.
        try? FileHandle(fileDescriptor: descriptor, closeOnDealloc: false).write(contentsOf: Data(line.utf8))
    }

    /// Writes a reason in the form that the command uses for all of them. It may hold what a server has said, which must not
    /// steer the terminal.
    func write(failure reason: String) {
        write("\(palette.paint("error:", .bad)) \(reason.escapingControls)")
    }

    /// Writes what to do about a failure.
    func write(hint: String) {
        write("\(palette.paint("hint:", .strong)) \(hint.escapingControls)")
    }
}
