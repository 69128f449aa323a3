// What most tests need comes with this module.
@_exported public import CoreAPI
@_exported public import CoreAPITesting
@_exported public import Foundation
@_exported public import Testing
