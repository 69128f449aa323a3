public import CoreAPI
public import CoreAPITransfers
public import Foundation
public import TYNetworker

/// The interface of an export's page, for a presenter.
@MainActor
public protocol TYCatalogueExportInteractorInterface: AnyObject {
    var output: (any TYCatalogueExportInteractorOutput)? { get set }

    /// Downloads the catalogue into a file, and continues an interrupted download. Calls the output with the progress, and
    /// exactly once with the result. While an export runs, another call does nothing.
    func exportCatalogue(to file: URL)

    /// Ends the download; its bytes stay for the next one.
    func cancelExport()
}

/// Receives progress and result, on the main actor.
@MainActor
public protocol TYCatalogueExportInteractorOutput: AnyObject {
    func handleCatalogueExportProgress(_ progress: TransferProgress)
    func handleCatalogueExportResponse(_ result: Result<DownloadedFile, APIClientError>)
}

/// Downloads the catalogue, and verifies the digest that the marketplace names.
public final class TYCatalogueExportInteractor: TYNetworker<TYCatalogueExportEndpointItem>, TYCatalogueExportInteractorInterface {
    public weak var output: (any TYCatalogueExportInteractorOutput)?
    private var download: Download?

    public func exportCatalogue(to file: URL) {
        guard download == nil else { return }
        download = follow(catalogueExport(to: file), progress: { $0.output?.handleCatalogueExportProgress($1) }) {
            $0.download = nil
            $0.output?.handleCatalogueExportResponse($1)
        }
    }

    public func cancelExport() {
        download?.cancel()
    }

    /// The async form of ``exportCatalogue(to:)``; from any actor.
    public nonisolated func catalogueExport(to file: URL) -> Download {
        networkManager.download(EndpointType.catalogue, to: file)
    }
}
