public import CoreAPIHTTP
public import Foundation
package import HTTPTypes

/// The cookies of a channel, by RFC 6265bis. Off by default:
///
/// ```swift
/// channel.cookies = CookieJar()
/// ```
///
/// Then every response's `Set-Cookie` lines go into the jar. Every request is sent with the cookies of its address, also on each
/// hop of a redirect. A request that already has a `Cookie` header is sent unchanged, through all its redirects. The cookies of
/// its responses are kept all the same.
///
/// libpsl's list identifies public suffixes, whose cookies are rejected. If libcurl was built without libpsl, a cookie is for the
/// host that set it only, and rejected if it names another domain. The kit has no pages and so no other sites: `SameSite` is
/// recorded only. The jar matches, stores and sends cookie bytes unchanged. It assumes no charset.
public final class CookieJar: Sendable {
    /// The largest number of cookie octets in one request; cookies beyond it are not sent. Servers reject larger heads, some
    /// silently, and curl's own engine has the same limit.
    public static let headerLimit = 8_190

    private let storage: Mutex<CookieStorage>
    private let suffixes: PublicSuffixList?
    private let now: @Sendable () -> Date

    /// An empty jar. Beyond a limit, cookies without `Secure` are removed first, and of equals the least recently used.
    ///
    /// - Parameters:
    ///   - limitPerDomain: how many cookies one domain may have.
    ///   - limit: how many cookies the jar may have.
    public convenience init(limitPerDomain: Int = 50, limit: Int = 3_000) {
        self.init(limitPerDomain: limitPerDomain, limit: limit, suffixes: .loaded)
    }

    init(
        limitPerDomain: Int = 50, limit: Int = 3_000, suffixes: PublicSuffixList?,
        now: @escaping @Sendable () -> Date = { Date() }
    ) {
        (self.suffixes, self.now) = (suffixes, now)
        storage = Mutex(CookieStorage(limitPerDomain: max(0, limitPerDomain), limit: max(0, limit)))
    }

    /// All cookies that have not expired, oldest first.
    public var cookies: [Cookie] {
        let now = now()
        return storage.withLock { $0.all }.filter { !$0.isExpired(at: now) }
    }

    /// The cookies of a request to an address, in the order in which they are sent: longer paths first, then older cookies
    /// (§5.8.3). Updates the time of their last use.
    public func cookies(for url: HTTPURL) -> [Cookie] {
        let now = now()
        return storage.withLock { $0.take(for: url, at: now) }
    }

    /// Stores one `Set-Cookie` line, as if a response from the address contained it.
    ///
    /// - Returns: The cookie; `nil` if the line has expired, which removes the cookie from the jar, or if it finds no room.
    /// - Throws: ``Cookie/Rejection``; the jar is then unchanged.
    @discardableResult
    public func store(_ line: String, from url: HTTPURL) throws(Cookie.Rejection) -> Cookie? {
        try store(Array(line.utf8), from: url)
    }

    /// Stores every `Set-Cookie` line of a response's fields. Returns why lines were rejected, in order.
    @discardableResult
    package func store(_ fields: HTTPFields, from url: HTTPURL) -> [Cookie.Rejection] {
        fields[fields: .setCookie].compactMap { field in
            do throws(Cookie.Rejection) {
                try store(field.withUnsafeBytesOfValue { Array($0) }, from: url)
                return nil
            } catch {
                return error
            }
        }
    }

    @discardableResult
    private func store(_ line: [UInt8], from url: HTTPURL) throws(Cookie.Rejection) -> Cookie? {
        let now = now()
        let cookie = try Cookie(SetCookie(line), from: url, at: now, suffixes: suffixes)
        let isStored = try storage.withLock { storage throws(Cookie.Rejection) in
            try storage.put(cookie, isFromSecureOrigin: url.scheme == .https, at: now)
        }
        return isStored ? cookie : nil
    }

    /// Removes the cookie of this name, domain and path, with any value.
    public func remove(_ cookie: Cookie) { storage.withLock { $0.removeAll { cookie.replaces($0) } } }
    /// Removes every cookie.
    public func removeAll() { storage.withLock { $0.removeAll { _ in true } } }

    package func emptyCopy() -> CookieJar {
        let (limitPerDomain, limit) = storage.withLock { ($0.limitPerDomain, $0.limit) }
        return CookieJar(limitPerDomain: limitPerDomain, limit: limit, suffixes: suffixes, now: now)
    }

    /// Writes the cookies that have not expired to a file.
    ///
    /// The file contains the values in clear text. Only its owner can read it (mode 0600), and it is replaced atomically. A
    /// reader of the file can act as the user until the cookies expire.
    ///
    /// The file is JSON: `{"version": 1, "cookies": [ … ]}`. Each cookie has `name`, `value`, `domain`, `hostOnly`, `path`,
    /// `expires`, `secure`, `httpOnly`, `sameSite` (`strict`, `lax`, `none` or `unspecified`), `created` and `lastAccessed`.
    /// Dates are seconds since 1970; a session cookie has no `expires`. A cookie whose name or value is not UTF-8 has
    /// `"encoding": "iso-8859-1"`; each character of both then stands for one byte.
    ///
    /// - Parameters:
    ///   - file: replaced if it exists.
    ///   - includingSessionCookies: whether to write cookies without an expiry, too. They are meant to end with the session.
    /// - Throws: ``CookieJar/FileError/unwritable(file:reason:)``.
    public func save(to file: URL, includingSessionCookies: Bool = false) throws(CookieJar.FileError) {
        try CookieFile(cookies: cookies.filter { includingSessionCookies || $0.expires != nil }).write(to: file)
    }

    /// A jar with the cookies of a file that ``save(to:includingSessionCookies:)`` wrote. Expired cookies are dropped.
    ///
    /// The limits are as in ``init(limitPerDomain:limit:)``.
    ///
    /// - Parameter file: must exist. The caller decides whether a missing file means an empty jar.
    /// - Throws: ``CookieJar/FileError``, also for a cookie that is not allowed in a header.
    public convenience init(contentsOf file: URL, limitPerDomain: Int = 50, limit: Int = 3_000) throws(CookieJar.FileError) {
        try self.init(contentsOf: file, limitPerDomain: limitPerDomain, limit: limit, now: { Date() })
    }

    convenience init(
        contentsOf file: URL, limitPerDomain: Int = 50, limit: Int = 3_000, now: @escaping @Sendable () -> Date
    ) throws(CookieJar.FileError) {
        let cookies = try CookieFile(contentsOf: file, suffixes: .loaded).cookies
        self.init(limitPerDomain: limitPerDomain, limit: limit, suffixes: .loaded, now: now)
        let moment = now()
        storage.withLock { storage in
            // The cookies in the file were accepted once, so they hide no secure cookie.
            for var cookie in cookies {
                cookie.expires = cookie.expires.map { min($0, moment.addingTimeInterval(Cookie.longestLife)) }
                _ = try? storage.put(cookie, isFromSecureOrigin: true, at: moment)
            }
        }
    }
}
