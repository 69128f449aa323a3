public import CoreAPI
public import CoreAPITransfers
public import Foundation
public import TYNetworker

/// The interface of an export's page, for a presenter.
@MainActor
public protocol TYCatalogueExportInteractorInterface: AnyObject {
    var output: (any TYCatalogueExportInteractorOutput)? { get set }

    /// Downloads the catalogue into a file, and continues an interrupted download. Calls the output with the progress, and
    /// exactly once with the result.
    func exportCatalogue(to file: URL)

    /// Ends the download; what is there stays for the next one.
    func cancelExport()
}

/// Receives progress and result, on the main actor.
@MainActor
public protocol TYCatalogueExportInteractorOutput: AnyObject {
    func handleCatalogueExportProgress(_ progress: TransferProgress)
    func handleCatalogueExportResponse(_ result: Result<DownloadedFile, APIClientError>)
}

/// Downloads the catalogue. The marketplace names its digest, which is verified.
public final class TYCatalogueExportInteractor: TYNetworker<TYCatalogueExportEndpointItem>, TYCatalogueExportInteractorInterface {
    public weak var output: (any TYCatalogueExportInteractorOutput)?
    private var download: Download?

    public func exportCatalogue(to file: URL) {
        let download = catalogueExport(to: file)
        self.download = download
        Task { [weak self] in
            for await progress in download.progress { self?.output?.handleCatalogueExportProgress(progress) }
            do throws(APIClientError) {
                let file = try await download.finished()
                self?.output?.handleCatalogueExportResponse(.success(file))
            } catch {
                self?.output?.handleCatalogueExportResponse(.failure(error))
            }
        }
    }

    public func cancelExport() {
        download?.cancel()
    }

    /// The async form of ``exportCatalogue(to:)``; from any actor.
    public nonisolated func catalogueExport(to file: URL) -> Download {
        networkManager.download(endpoint: .catalogue, to: file)
    }
}
