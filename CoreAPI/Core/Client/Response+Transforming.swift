extension Response {
    /// The same response with its value transformed; a failure is unchanged.
    public func map<Other>(_ transform: (Value) throws -> Other) -> Response<Other> {
        flatMap { .success(try transform($0)) }
    }

    /// The same response with its value replaced by a result. An error thrown by `transform` becomes
    /// ``APIClientError/app(_:_:)``, unless it is one of the kit's own errors.
    public func flatMap<Other>(_ transform: (Value) throws -> Result<Other, APIClientError>) -> Response<Other> {
        switch result {
        case .failure(let error): return with(.failure(error))
        case .success(let value):
            do {
                return with(try transform(value))
            } catch {
                return with(.failure(APIClientError(error, ErrorContext(self), stage: APIClientError.app)))
            }
        }
    }
}
