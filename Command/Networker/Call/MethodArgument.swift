import ArgumentParser
import CoreAPI
import HTTPTypes

extension HTTPRequest.Method {
    private static let known: [HTTPRequest.Method] = [
        .get, .head, .post, .put, .patch, .delete, .options, .trace, .connect, .query,
    ]

    /// A method as typed, in capital letters; a usual one may be in small letters: `get` means `GET`. A word such as `orders` is
    /// none, so that a path is not taken for a method.
    ///
    /// - Throws: `ValidationError` that states what was expected.
    init(argument text: String) throws {
        if let known = Self.known.first(where: { $0.rawValue == text.uppercased() }) {
            self = known
            return
        }
        guard text == text.uppercased(), text.contains(where: \.isLetter) else {
            throw ValidationError("expected a method before the path, such as GET, got '\(text.escapingControls)'")
        }
        do {
            self = try Self(checking: text)
        } catch {
            throw ValidationError(error.readableDescription)
        }
    }

    /// Whether name=value of the command line goes into the body, as an endpoint's parameters do.
    var takesValuesInBody: Bool {
        ![.get, .head, .options, .trace, .delete, .connect].contains(self)
    }
}
