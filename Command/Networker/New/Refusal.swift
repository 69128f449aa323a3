import ArgumentParser
import CoreAPI

/// The rejection of a command that writes nothing: its cause and advice.
struct Rejection: Error, Sendable, Hashable {
    let cause: String
    let advice: String
    /// Swift to copy, shown as it is.
    var lines: [String] = []

    init(_ cause: String, do advice: String, lines: [String] = []) {
        self.cause = cause
        self.advice = advice
        self.lines = lines
    }

    /// Writes both to standard error.
    ///
    /// - Returns: the exit code of an invalid command line.
    func show() -> ExitCode {
        Console.error.write(failure: cause)
        Console.error.write(hint: advice)
        if !lines.isEmpty { Console.error.write(lines.joined(separator: "\n")) }
        return .validationFailure
    }
}
