import CoreAPI
import Foundation
import HTTPTypes

extension CallReport {
    /// The report for programs. A JSON body is included as JSON, text as text, and any other body as base64.
    struct Record: Encodable {
        struct Field: Encodable {
            let name: String
            let value: String
        }

        let ok: Bool
        let error: String?
        /// The stage and the reason, without hosts, paths and values.
        let errorLabel: String?
        let call: String
        let channel: String
        let status: Int?
        /// Secrets redacted.
        let headers: [Field]?
        let body: JSONValue?
        let bodyBase64: String?
        let elapsedMs: Double?
        let exchanges: [ExchangeRecord]
        let curl: String?
    }

    var record: Record {
        let (channel, redaction) = (response.call.channel, response.redaction)
        let text = String(validating: response.data, as: UTF8.self)
        let json = try? JSONValue(parsing: response.data)
        return Record(
            ok: response.error == nil, error: response.error?.description, errorLabel: response.error?.label,
            call: response.call.id, channel: channel.name, status: response.head?.status.code,
            headers: response.head?.headers.map { field in
                Record.Field(name: field.name.rawName, value: redaction.redact(field.value, under: field.name.rawName))
            },
            body: response.data.isEmpty ? nil : json ?? text.map(JSONValue.string),
            bodyBase64: text == nil ? response.data.base64EncodedString() : nil,
            elapsedMs: elapsed?.milliseconds, exchanges: exchanges.map(ExchangeRecord.init), curl: cURL)
    }
}
