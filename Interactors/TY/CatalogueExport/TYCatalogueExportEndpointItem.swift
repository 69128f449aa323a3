public import CoreAPI

/// The request for the whole catalogue, one product as JSON on each line.
public enum TYCatalogueExportEndpointItem: Endpoint {
    case catalogue

    public var path: String { "discovery/v1/exports/catalogue.jsonl" }

    public var method: HTTPRequest.Method { .get }
}
