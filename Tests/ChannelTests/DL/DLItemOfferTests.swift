import CoreAPITransfers
import DLInteractors
import DLNetworker
import NetworkerKitSandbox
import TestSupport

@Suite("DL: item offer")
struct DLItemOfferTests {
    private static func item(_ photos: [DLNewItem.Photo]) -> DLNewItem {
        DLNewItem(title: "Keten elbise", condition: "Yeni gibi", price: 640, photos: photos)
    }

    private static let photos = [
        DLNewItem.Photo(name: "ön.jpg", body: .bytes(Data(count: 150_000))),
        DLNewItem.Photo(name: "arka.jpg", body: .cut(Data(repeating: 13, count: 70_000), every: 70_000)),
    ]

    @Test("is stored with its photos, even if the token has expired and the form is sent twice")
    func offered() async throws {
        try await withSandbox(.dl.at(.sandbox)) { server in
            let upload = DLItemOfferInteractor().upload(Self.item(Self.photos))
            let last = await upload.progress.reduce(TransferProgress()) { $1 }
            let offer = try await upload.value
            #expect(offer.title == "Keten elbise" && offer.price.amount == 640)
            #expect(offer.photos.map(\.name) == ["ön.jpg", "arka.jpg"])
            #expect(offer.photos.map(\.size) == [150_000, 70_000])
            #expect(last.completed > 220_000)
            #expect(server.tokensIssued == 1)
        }
    }

    @Test("without a photo fails with the shop's own error")
    func photoMissing() async throws {
        try await withSandbox(.dl.at(.sandbox)) { _ in
            let response = await DLItemOfferInteractor().upload(Self.item([])).response
            let failure: DLError = try #require(response.error?.app())
            #expect(failure.key == "item.photo-missing" && failure.httpStatus == 422)
        }
    }

    @Test("in the delegate form the output receives progress, and the result once, on the main actor")
    @MainActor func delegate() async throws {
        try await withSandbox(.dl.at(.sandbox)) { _ in
            let (interactor, output) = (DLItemOfferInteractor(), Page())
            interactor.output = output
            interactor.offerItem(Self.item(Self.photos))
            try await eventually("the output received no result") { await !output.results.isEmpty }
            #expect(try output.results.map { try $0.get().id } == ["DL-I-1"])
            #expect(output.progress.last.map { $0.completed > 220_000 } == true && output.wasAlwaysOnMainQueue)
        }
    }

    private final class Page: Output<DLItemOfferResponse>, DLItemOfferInteractorOutput {
        var progress: [TransferProgress] = []
        func handleItemOfferProgress(_ progress: TransferProgress) { self.progress.append(progress) }
        func handleItemOfferResponse(_ result: Result<DLItemOfferResponse, APIClientError>) { hear(result) }
    }
}
