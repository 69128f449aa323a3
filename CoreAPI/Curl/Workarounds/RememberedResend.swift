internal import CoreAPICore

extension CurlDefect {
    /// A handle keeps three facts of an exchange for the next one: how often it sent a request again, a 417, and a rejected
    /// stream. With the first it gives up another request too early.
    ///
    /// The kit discards a handle that sent a request twice. Shown by `WorkaroundTests.rememberedResend`.
    static let rememberedResend = CurlDefect(15, in: .every)
}

extension Sendings {
    /// Whether the handle kept nothing of the exchange that would change the next one.
    func leavesHandleClean(_ library: CurlLibrary?) -> Bool { count == 1 || library?.has(.rememberedResend) != true }
}
