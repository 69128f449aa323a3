import ArgumentParser
import CoreAPI
import HTTPTypes

extension HTTPRequest.Method {
    /// A method as somebody types it: `get` means `GET`; anything that is not all lower case is taken as it is, because methods
    /// are case-sensitive (RFC 9110 §9.1).
    ///
    /// - Throws: `ValidationError` saying what was expected.
    init(argument text: String) throws {
        do {
            self = try Self(checking: text == text.lowercased() ? text.uppercased() : text)
        } catch {
            throw ValidationError(error.readableDescription)
        }
    }

    /// Whether name=value of the command line belong into the body, as an endpoint's parameters would.
    var takesValuesInBody: Bool {
        ![.get, .head, .options, .trace, .delete, .connect].contains(self)
    }
}
