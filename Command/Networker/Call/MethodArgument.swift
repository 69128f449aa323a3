import ArgumentParser
import CoreAPI
import CoreAPIHTTP
import HTTPTypes

extension HTTPRequest.Method {
    private static let known: [HTTPRequest.Method] = [
        .get, .head, .post, .put, .patch, .delete, .options, .trace, .connect, .query,
    ]

    /// Whether the word is the name of a usual method, in any case.
    static func isKnown(_ word: String) -> Bool { known.contains { $0.rawValue.inSmallLetters == word.inSmallLetters } }

    /// A method as typed, in capital letters; a usual one may be in small letters: `get` means `GET`. A word such as `orders` is
    /// none, so that a path is not taken for a method.
    ///
    /// - Throws: `ValidationError` that states what was expected.
    init(argument text: String) throws {
        if let known = Self.known.first(where: { $0.rawValue.inSmallLetters == text.inSmallLetters }) {
            self = known
            return
        }
        guard text.utf8.contains(where: \.isLetter), !text.utf8.contains(where: { $0.isLetter && $0 & 0x20 != 0 }) else {
            throw ValidationError("expected a method before the path, such as GET, got '\(text.escapingControls)'")
        }
        self = try validated { try Self(checking: text) }
    }

    /// Whether name=value of the command line goes into the body, as an endpoint's parameters do.
    var takesValuesInBody: Bool {
        ![.get, .head, .options, .trace, .delete, .connect].contains(self)
    }
}
