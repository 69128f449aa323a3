// Lets users name an endpoint, a message and an error without a second import.
@_exported public import CoreAPICore
