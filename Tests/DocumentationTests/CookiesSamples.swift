import CoreAPI
import Foundation

// Shown on the page "Cookies"; what they do is tested in CookiesTests.

func jar(at file: URL) -> CookieJar {
    do {
        return try CookieJar(contentsOf: file)
    } catch {
        // The first start has no file. A damaged one means a new login as well.
        return CookieJar()
    }
}

func keep(_ jar: CookieJar, in file: URL) throws {
    try jar.save(to: file)
}

func logOut(_ jar: CookieJar, file: URL) throws {
    jar.removeAll()
    try jar.save(to: file)
}
