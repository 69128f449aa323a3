import CoreAPI
import Foundation
import Observation

// Shown on the page "iOS and SwiftUI"; the model runs in SwiftUITests. Linux has no SwiftUI: the view is compiled on Apple
// platforms only.

nonisolated struct Bread: Codable, Equatable, Identifiable, Sendable {
    let id: Int
    let name: String
}

@MainActor @Observable
final class BreadListModel {
    private(set) var breads: [Bread] = []
    private(set) var message: String?
    private let manager: NetworkManager<Never>

    init(channel: Channel = .bakery) {
        manager = NetworkManager(channel: channel)
    }

    func load() async {
        do {
            breads = try await manager.request(.get("breads"), as: [Bread].self)
        } catch {
            if !error.isCancelled { message = error.localizedDescription }
        }
    }
}

extension Channel {
    static let bakeryPreview = Channel.bakery.with { channel in
        channel.transport = FixtureTransport([
            Fixture(.get, "breads", body: #"{"result": [{"id": 7, "name": "Simit"}]}"#, delay: .milliseconds(300))
        ])
        channel.environment.isSimulated = true
    }
}

#if canImport(SwiftUI)
import SwiftUI

struct BreadList: View {
    @State var model = BreadListModel()

    var body: some View {
        List(model.breads) { Text($0.name) }
            .task { await model.load() }
    }
}

#Preview {
    BreadList(model: BreadListModel(channel: .bakeryPreview))
}
#endif
