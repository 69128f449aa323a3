import Foundation

/// Standard input, as far as it can be judged without reading from it.
struct StandardInput: Sendable {
    var descriptor = STDIN_FILENO

    /// Whether it is a pipe, a socket or a file with bytes that are not read yet. A terminal, `/dev/null` and a closed
    /// descriptor have none.
    ///
    /// It reads nothing: a shell's `while read` loop, or the script that a shell reads there, needs those bytes.
    ///
    /// - Parameter patience: how long to wait for the first byte of a pipe or a socket.
    func hasData(within patience: Duration = .zero) -> Bool {
        var status = stat()
        guard fstat(descriptor, &status) == 0 else { return false }
        switch status.st_mode & S_IFMT {
        case S_IFREG: return lseek(descriptor, 0, SEEK_CUR) < status.st_size
        case S_IFIFO: return isReadable(within: patience)
        case S_IFSOCK:
            var byte: UInt8 = 0
            // A socket is readable at its end, too.
            return isReadable(within: patience) && recv(descriptor, &byte, 1, Int32(MSG_PEEK)) > 0
        default: return false
        }
    }

    private func isReadable(within patience: Duration) -> Bool {
        var request = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
        return poll(&request, 1, Int32(patience / .milliseconds(1))) == 1 && request.revents & Int16(POLLIN) != 0
    }
}
