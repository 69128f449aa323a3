import TestSupport

@testable import NetworkerCommand

@Suite("Names of channels and features")
struct TemplateNamesTests {
    @Test(
        "a channel's static property is its name with small first letters",
        arguments: [
            ("BK", "bk"), ("HTTPBin", "httpBin"), ("GIPHY", "giphy"), ("Books", "books"), ("B2B", "b2b"), ("A", "a"),
        ])
    func property(name: String, property: String) throws {
        #expect(try ChannelName(name).property == property)
    }

    @Test(
        "a wrong name of a channel is rejected with a better one",
        arguments: [
            ("bk", "write BK"), ("books", "write Books"), ("my-shop", "write MyShop"), ("2b", "choose a short name, such as BK"),
            ("", "choose a short name, such as BK"), ("ŞK", "write K"), ("B K", "write BK"), ("../BK", "write BK"),
            ("SELF", "choose another one, such as BK"), ("Channel", "choose another one, such as BK"),
        ])
    func channel(name: String, advice: String) {
        let rejection = #expect(throws: Rejection.self) { try ChannelName(name) }
        #expect(rejection?.advice == advice)
        #expect(rejection?.cause.contains("'\(name)'") == true)
    }

    @Test(
        "a feature's name gives its member, its words and its file",
        arguments: [
            ("OrderList", "orderList", "order list", "order-list"), ("URLList", "urlList", "URL list", "url-list"),
            ("Gifs", "gifs", "gifs", "gifs"), ("Page2", "page2", "page2", "page2"), ("FAQ", "faq", "FAQ", "faq"),
        ])
    func feature(name: String, member: String, phrase: String, slug: String) throws {
        let feature = try FeatureName(name)
        #expect(feature.member == member && feature.phrase == phrase && feature.slug == slug)
    }

    @Test(
        "a wrong name of a feature is rejected with a better one",
        arguments: [
            ("orderList", "write OrderList"), ("order-list", "write OrderList"), ("order list", "write OrderList"),
            ("Output", "choose another one, such as OrderList"), ("Request", "choose another one, such as OrderList"),
            ("/", "choose a short name, such as OrderList"),
        ])
    func wrongFeature(name: String, advice: String) {
        let rejection = #expect(throws: Rejection.self) { try FeatureName(name) }
        #expect(rejection?.advice == advice)
    }

    @Test("keywords get backticks where they are declared")
    func keywords() {
        #expect("in".declared == "`in`" && "default".declared == "`default`" && "bk".declared == "bk")
    }
}
