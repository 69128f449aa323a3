// A handle keeps three facts of an exchange for the next one: how often it sent a request again, a 417, and a rejected stream.
// With the first it gives up another request too early. The kit discards a handle that sent a request twice.

extension Sendings {
    /// Whether the handle kept nothing of the exchange that would change the next one.
    var allowReuse: Bool { count == 1 }
}
