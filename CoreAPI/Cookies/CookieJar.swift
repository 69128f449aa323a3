public import CoreAPIHTTPSupport
internal import CoreAPILock
public import Foundation
package import HTTPTypes

/// The cookies of a channel, by RFC 6265bis. Off unless a channel is given one:
///
/// ```swift
/// channel.cookies = CookieJar()
/// ```
///
/// Every answer's `Set-Cookie` lines then go into the jar and every request takes along what belongs to its address, also on the
/// way through redirects. A request with a `Cookie` header of its own is sent as it is, through all its redirects; what its
/// answers set is kept all the same.
///
/// A domain that is a public suffix is refused by libpsl's list; where libcurl was built without libpsl, a cookie is taken for
/// the host alone that set it, and refused when it names any other domain. There are no pages and so no other sites: `SameSite`
/// is recorded only. Cookies declare no charset: names and values are matched, saved and sent as the bytes that came.
public final class CookieJar: Sendable {
    /// Octets of cookies in one request; what does not fit after those that come first stays out. Servers refuse larger heads,
    /// some without a word, and curl's own engine has the same bound.
    public static let headerLimit = 8_190

    private let storage: Mutex<CookieStorage>
    private let suffixes: PublicSuffixList?
    private let now: @Sendable () -> Date
    let limitPerDomain: Int
    let limit: Int

    /// An empty jar.
    ///
    /// - Parameters:
    ///   - limitPerDomain: how many cookies one domain may have; beyond, those go first that are not `Secure`, and of equals the
    ///     one that was used longest ago.
    ///   - limit: how many there may be in all.
    public convenience init(limitPerDomain: Int = 50, limit: Int = 3_000) {
        self.init(limitPerDomain: limitPerDomain, limit: limit, suffixes: .loaded)
    }

    init(
        limitPerDomain: Int = 50, limit: Int = 3_000, suffixes: PublicSuffixList?,
        now: @escaping @Sendable () -> Date = { Date() }
    ) {
        self.limitPerDomain = max(0, limitPerDomain)
        self.limit = max(0, limit)
        self.suffixes = suffixes
        self.now = now
        storage = Mutex(CookieStorage(limitPerDomain: self.limitPerDomain, limit: self.limit))
    }

    /// All that have not expired, oldest first.
    public var cookies: [Cookie] {
        let now = now()
        return storage.withLock { $0.all }.filter { !$0.isExpired(at: now) }
    }

    /// What a request to an address would take along, in the order in which it would: longer paths first, then older cookies
    /// (§5.8.3). Counts as use.
    public func cookies(for url: HTTPURL) -> [Cookie] {
        let now = now()
        return storage.withLock { $0.take(for: url, at: now) }
    }

    /// Takes one `Set-Cookie` line, as if an answer from the address had come with it.
    ///
    /// - Returns: The cookie; `nil` when the line says that it has expired, which removes it from the jar.
    /// - Throws: ``CookieRejection``; the jar is then as it was.
    @discardableResult
    public func store(_ line: String, from url: HTTPURL) throws(CookieRejection) -> Cookie? {
        try store(Array(line.utf8), from: url)
    }

    /// Takes every `Set-Cookie` line among an answer's fields.
    ///
    /// - Returns: Why lines were refused, in their order; empty when all were taken.
    @discardableResult
    package func store(_ fields: HTTPFields, from url: HTTPURL) -> [CookieRejection] {
        fields[fields: .setCookie].compactMap { field in
            do throws(CookieRejection) {
                try store(field.withUnsafeBytesOfValue { Array($0) }, from: url)
                return nil
            } catch {
                return error
            }
        }
    }

    @discardableResult
    private func store(_ line: [UInt8], from url: HTTPURL) throws(CookieRejection) -> Cookie? {
        let now = now()
        let cookie = try Cookie(SetCookie(line), from: url, at: now, suffixes: suffixes)
        try storage.withLock { storage throws(CookieRejection) in
            try storage.put(cookie, isFromSecureOrigin: url.scheme == .https, at: now)
        }
        return cookie.isExpired(at: now) ? nil : cookie
    }

    /// Removes the cookie of this name, domain and path, whatever its value is now.
    public func remove(_ cookie: Cookie) {
        storage.withLock { $0.removeAll { $0.identity == cookie.identity } }
    }

    public func removeAll() {
        storage.withLock { $0.removeAll { _ in true } }
    }

    /// An empty jar with the same limits.
    package func emptyCopy() -> CookieJar {
        CookieJar(limitPerDomain: limitPerDomain, limit: limit, suffixes: suffixes, now: now)
    }
}

// MARK: - On disk

extension CookieJar {
    /// Writes the cookies that have not expired to a file of ``save(to:includingSessionCookies:)``'s form.
    ///
    /// The values stand in the file as they are: it is readable by its owner only (mode 0600) and put in place at once and whole.
    /// Whoever can read it can speak as the user until the cookies expire.
    ///
    /// The file is JSON: `{"version": 1, "cookies": [ … ]}`, each cookie with `name`, `value`, `domain`, `hostOnly`, `path`,
    /// `expires`, `secure`, `httpOnly`, `sameSite` (`strict`, `lax`, `none` or `unspecified`), `created` and `lastAccessed`;
    /// dates are seconds since 1970, `expires` is left out for a session cookie. A cookie whose name or value is not UTF-8 has
    /// `"encoding": "iso-8859-1"`; each character of both is then the byte of its number.
    ///
    /// - Parameters:
    ///   - file: replaced if it is there.
    ///   - includingSessionCookies: whether cookies without an expiry are written too; they are meant to end with the session.
    /// - Throws: ``CookieFileError/unwritable(file:reason:)``.
    public func save(to file: URL, includingSessionCookies: Bool = false) throws(CookieFileError) {
        try CookieFile(cookies.filter { includingSessionCookies || $0.expires != nil }).write(to: file)
    }

    /// A jar with the cookies of a file that ``save(to:includingSessionCookies:)`` wrote. Those that have expired since are left
    /// out.
    ///
    /// - Parameters:
    ///   - file: must exist; whether a missing one is an empty jar is the caller's to say.
    ///   - limitPerDomain: as in ``init(limitPerDomain:limit:)``.
    ///   - limit: as in ``init(limitPerDomain:limit:)``.
    /// - Throws: ``CookieFileError``, also for a cookie that could not stand in a header.
    public convenience init(contentsOf file: URL, limitPerDomain: Int = 50, limit: Int = 3_000) throws(CookieFileError) {
        try self.init(contentsOf: file, limitPerDomain: limitPerDomain, limit: limit, now: { Date() })
    }

    convenience init(
        contentsOf file: URL, limitPerDomain: Int = 50, limit: Int = 3_000, now: @escaping @Sendable () -> Date
    ) throws(CookieFileError) {
        let cookies = try CookieFile(contentsOf: file, suffixes: .loaded).cookies
        self.init(limitPerDomain: limitPerDomain, limit: limit, suffixes: .loaded, now: now)
        let moment = now()
        storage.withLock { storage in
            // What is in the file was taken once: it overlays nothing.
            for var cookie in cookies {
                cookie.expires = cookie.expires.map { min($0, moment.addingTimeInterval(Cookie.longestLife)) }
                try? storage.put(cookie, isFromSecureOrigin: true, at: moment)
            }
        }
    }
}
