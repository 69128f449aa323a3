public import CoreAPI
public import CoreAPITransfers
public import DLNetworker

/// The interface of the page that offers an item, for a presenter.
@MainActor
public protocol DLItemOfferInteractorInterface: AnyObject {
    var output: (any DLItemOfferInteractorOutput)? { get set }

    /// Sends an item with its photos; calls the output with each progress, and with the result exactly once.
    func offerItem(_ item: DLNewItem)
}

/// Receives progress and result, on the main actor.
@MainActor
public protocol DLItemOfferInteractorOutput: AnyObject {
    func handleItemOfferProgress(_ progress: TransferProgress)
    func handleItemOfferResponse(_ result: Result<DLItemOfferResponse, APIClientError>)
}

/// Puts an item up for sale.
public final class DLItemOfferInteractor: DLNetworker<DLItemOfferEndpointItem>, DLItemOfferInteractorInterface {
    public weak var output: (any DLItemOfferInteractorOutput)?

    public func offerItem(_ item: DLNewItem) {
        follow(upload(item), progress: { $0.output?.handleItemOfferProgress($1) }) { $0.output?.handleItemOfferResponse($1) }
    }

    /// As ``offerItem(_:)``, with a handle; from any actor.
    public nonisolated func upload(_ item: DLNewItem) -> Upload<DLItemOfferResponse> {
        networkManager.upload(DLItemOfferEndpointItem.offer(item), as: .decodable(DLItemOfferResponse.self))
    }

    /// The async form of ``offerItem(_:)``, without progress; from any actor.
    ///
    /// - Throws: a ``DLNetworker/DLError`` with the key `item.photo-missing` without a photo.
    public nonisolated func itemOffer(_ item: DLNewItem) async throws(APIClientError) -> DLItemOfferResponse {
        try await upload(item).value
    }
}
