import CoreAPI
import CoreAPIHTTP
import Dispatch
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
    ///
    /// - Returns: as ``write(bytes:)``.
    @discardableResult
    package func write(_ text: String) -> Bool {
        write(bytes: Data((text.utf8.last == UInt8(ascii: "\n") ? text : text + "\n").utf8))
    }

    /// Whether both streams are one pipe, file or terminal, as with `2>&1`.
    private static let areOne: Bool = {
        var (output, error) = (stat(), stat())
        guard fstat(STDOUT_FILENO, &output) == 0, fstat(STDERR_FILENO, &error) == 0 else { return false }
        return output.st_dev == error.st_dev && output.st_ino == error.st_ino
    }()
    /// Whether the last line of standard output has no end yet.
    private static let hasOpenLine = Mutex(false)

    /// Writes the bytes and nothing else. If both streams are one, an error begins on a line of its own.
    ///
    /// - Returns: `false` if the reader has closed the pipe (`| head`), which is not an error.
    @discardableResult
    package func write(bytes: Data) -> Bool {
        guard let last = bytes.last else { return true }
        let wasOpen = Self.hasOpenLine.withLock { isOpen in
            defer { isOpen = descriptor == STDOUT_FILENO && last != UInt8(ascii: "\n") }
            return isOpen
        }
        let bytes = wasOpen && descriptor == STDERR_FILENO && Self.areOne ? Data("\n".utf8) + bytes : bytes
        do {
            try FileHandle(fileDescriptor: descriptor, closeOnDealloc: false).write(contentsOf: bytes)
            return true
        } catch {
            guard descriptor != STDERR_FILENO, error.systemReason != String(cString: strerror(EPIPE)) else { return false }
            Self.error.write(failure: "cannot write the output: \(error.systemReason)")
            exit(1)
        }
    }

    private static let queue = DispatchQueue(label: "networker.console")

    /// As ``write(bytes:)``, on a thread that may wait for a slow reader of the pipe. Swift's pool has few threads.
    package func writeApart(_ bytes: Data) async -> Bool {
        await withCheckedContinuation { continuation in
            Self.queue.async { continuation.resume(returning: write(bytes: bytes)) }
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
