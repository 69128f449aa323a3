internal import CoreAPIHTTP
internal import Foundation
internal import HTTPTypes

// The kit's changes to every request. A channel's enhancers run before them with a priority above `.core`, and after them with
// one below `.core.less`.

protocol CoreEnhancer: RequestEnhancer {}

extension CoreEnhancer {
    static var priority: Priority { .core }
    var stages: Set<Stage.Kind> { [.enhance] }
}

enum RequestEnhancers {
    static let builtIn: [any RequestEnhancer] = [
        HeaderEnhancer(), QueryItemEnhancer(), TimeoutEnhancer(), CachePolicyEnhancer(), VerificationEnhancer(),
    ]
}

/// Applies ``HeaderModifier``s and ``Headers``, farthest first. Lines of one name within one ``Headers`` stay side by side.
struct HeaderEnhancer: CoreEnhancer {
    func enhance(_ request: inout Request) throws {
        for modifier in request.modifiers {
            // The kit's own types first: a cast to a protocol takes ten times as long.
            if let headers = modifier as? Headers {
                try request.headers.set(try headers.fields())
            } else if let header = (modifier as? Header) ?? (modifier as? any HeaderModifier) {
                try request.setHeader(header.name, header.value)
            }
        }
    }
}

struct QueryItemEnhancer: CoreEnhancer {
    func enhance(_ request: inout Request) throws {
        for item in request.modifiers(of: QueryItem.self) {
            guard !item.name.isEmpty else { throw RequestError.namelessQueryItem(value: item.value) }
            request.url.appendQuery(item.name, item.value)
        }
    }
}

struct TimeoutEnhancer: CoreEnhancer {
    func enhance(_ request: inout Request) throws {
        let timeout = request.modifier(Timeout.self)
        if let timeout { request.timeout = timeout }
        guard let idle = request.modifier(IdleLimit.self), timeout == nil || !idle.yieldsToTimeout else { return }
        request.timeout.idle = idle.duration
    }
}

/// Applies the nearest ``CachePolicy``; a `Cache-Control` of the caller stays.
struct CachePolicyEnhancer: CoreEnhancer {
    static var priority: Priority { .core.less }

    func enhance(_ request: inout Request) throws {
        guard let directive = request.modifier(CachePolicy.self)?.directive, request.headers[.cacheControl] == nil else { return }
        request.headers[.cacheControl] = directive
    }
}

struct VerificationEnhancer: CoreEnhancer {
    var stages: Set<Stage.Kind> { [.deenhance] }

    func deenhance(_ response: inout Response<Data>) {
        if let rejection = Self.rejection(of: response) { response.result = .failure(rejection) }
    }

    /// The first verifier's error; `nil` if all accept the response.
    static func rejection(of response: Response<Data>) -> APIClientError? {
        guard response.error == nil, let attempt = response.raw.attempt else { return nil }
        do {
            try (attempt.request.modifier() ?? StatusCodeResponseVerifier.successful).verify(response)
            for modifier in attempt.request.modifiers {
                if modifier is StatusCodeResponseVerifier { continue }
                try (modifier as? any ResponseVerifier)?.verify(response)
            }
            return nil
        } catch {
            if let error = error as? APIClientError { return error }
            return .verification(error as? VerificationError ?? .custom(error), APIClientError.Context(response))
        }
    }
}
