import ArgumentParser
import CoreAPI
import HTTPTypes

extension HTTPRequest.Method {
    /// A method as typed: `get` means `GET`. Any spelling that is not all lower case is unchanged, because methods are
    /// case-sensitive (RFC 9110 §9.1).
    ///
    /// - Throws: `ValidationError` that states what was expected.
    init(argument text: String) throws {
        do {
            self = try Self(checking: text == text.lowercased() ? text.uppercased() : text)
        } catch {
            throw ValidationError(error.readableDescription)
        }
    }

    /// Whether name=value of the command line goes into the body, as an endpoint's parameters do.
    var takesValuesInBody: Bool {
        ![.get, .head, .options, .trace, .delete, .connect].contains(self)
    }
}
