import TestSupport

@testable import CoreAPICookies
@testable import CoreAPICore

@Suite("A cookie's date (RFC 6265bis §5.1.1)")
struct CookieDateTests {
    private func seconds(_ text: String) -> Int? {
        CookieDate.date(text[...].utf8).map { Int($0.timeIntervalSince1970) }
    }

    @Test(
        "is found in any order and between any delimiters",
        arguments: [
            "Sun, 06 Nov 1994 08:49:37 GMT", "Sunday, 06-Nov-94 08:49:37 GMT", "Sun Nov  6 08:49:37 1994", "1994 6 nov 8:49:37",
            "08:49:37 06 NOVEMBER 1994", "Sun,06/Nov/1994(08:49:37)", "6th Nov 94 08:49:37pm", "06 Nov 1994 08:49:37 +0300",
        ])
    func read(_ text: String) {
        #expect(seconds(text) == 784_111_777)
    }

    @Test(
        "with two digits is of this century up to 69",
        arguments: [("70", 0), ("99", 915_148_800), ("00", 946_684_800), ("69", 3_124_224_000)])
    func centuries(_ year: String, _ expected: Int) {
        #expect(seconds("1 Jan \(year) 00:00:00") == expected)
    }

    @Test("knows leap years and years long past")
    func calendar() {
        #expect(seconds("29 Feb 2000 00:00:00") == 951_782_400)
        #expect(seconds("29 Feb 2024 23:59:59") == 1_709_251_199)
        #expect(seconds("1 Jan 1601 00:00:00") == -11_644_473_600)
        #expect(seconds("31 Dec 9999 23:59:59") == 253_402_300_799)
    }

    @Test(
        "that does not exist or lacks a part is rejected",
        arguments: [
            "", "tomorrow", "Nov 1994 08:49:37", "06 1994 08:49:37", "06 Nov 08:49:37", "06 Nov 1994", "06 Nov 1994 24:00:00",
            "06 Nov 1994 08:60:00", "06 Nov 1994 08:49:60", "00 Nov 1994 08:49:37", "31 Nov 1994 08:49:37",
            "29 Feb 1900 00:00:00",
            "30 Feb 2024 00:00:00", "06 Nov 1600 08:49:37", "06 Nov 19945 08:49:37", "006 Nov 1994 08:49:37", "06 Nov 1994 8:49",
            "06 Nov 1994 :::", "06 Nov 1994 111:2:3", "999999999999999999999999 Nov 1994 1:1:1", "６ Nov 1994 08:49:37",
        ])
    func rejected(_ text: String) {
        #expect(seconds(text) == nil)
    }
}
