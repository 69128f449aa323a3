/// The way through one channel's features. A further channel's is a further value, listed in ``all``.
struct DemoTour: Sendable {
    /// The channel's name in the ``ChannelRegistry``.
    let channel: String
    /// The path below the sandbox server's root.
    let prefix: String
    /// Makes the interactors and uses them; called where the channel is swapped already.
    let walk: @MainActor @Sendable (DemoGuide) async -> Void

    static let all: [DemoTour] = [.ty, .dl, .ml, .id]
}
