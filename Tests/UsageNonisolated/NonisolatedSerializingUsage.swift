// Values from responses in this target: that this compiles without a warning is the test.

import Foundation
import Martlet
import MartletTesting
import Testing

struct PlainUser: Decodable, Equatable {
    var name: String
}

struct EmptyUser: Decodable, Equatable, EmptyBodyRepresentable {
    static var emptyBody: EmptyUser { EmptyUser(name: "") }
    var name: String
}

struct PlainFailure: Decodable, Error {
    var reason: String
}

struct ShoutingSerializer: ResponseSerializer {
    func serialize(_ response: Response<Data>, in context: SerializationContext) throws -> String {
        String(decoding: response.body, as: UTF8.self).uppercased()
    }
}

@Suite struct NonisolatedSerializingUsage {
    private func withServer(_ body: (MartletClient) async throws -> Void) async throws {
        try await TestServer.serving { request in
            switch request.path {
            case "/none": .status(204)
            case "/bad": .json(#"{"reason": "no"}"#, status: 409)
            case "/list":
                .json(#"[{"name": "Ada"}]"#, headers: request.query == nil ? ["Link": "<?page=2>; rel=next"] : [:])
            default: .json(#"{"name": "Ada"}"#)
            }
        } run: { server in
            let client = MartletClient(baseURL: server.baseURL)
            try await body(client)
            await client.shutdown()
        }
    }

    @Test func typesAreDecodedByTheTerminals() async throws {
        try await withServer { client in
            let user: PlainUser = try await client.get("/").json()
            let same = try await client.get("/").json(as: PlainUser.self)
            #expect(user == same)
            let none: PlainUser? = try await client.get("/none").json()
            #expect(none == nil)
            let users: [PlainUser] = try await client.get("/list").json()
            #expect(users.count == 1)
            let decoded = try await client.get("/").response().map {
                try JSONDecoder().decode(PlainUser.self, from: $0)
            }
            #expect(decoded.body == user)
        }
    }

    @Test func serializersChecksAndPagesAreUsable() async throws {
        try await withServer { client in
            let user = try await client.get("/").serialized(by: .json(EmptyUser.self))
            #expect(user.name == "Ada")
            let name = try await client.get("/").serialized(by: .optional(.json(EmptyUser.self).map(\.name)))
            #expect(name == "Ada")
            let shout = try await client.get("/").serializedResponse(by: ShoutingSerializer())
            #expect(shout.body == #"{"NAME": "ADA"}"#)
            let empty = try await client.get("/none").json(as: EmptyUser.self)
            #expect(empty == .emptyBody)
            let text = try await client.get("/").accepting(contentTypes: ["application/json"]).validating { head in
                guard head.status == .ok else { throw PlainFailure(reason: "status") }
            }.string()
            #expect(text.count == 15)
            do {
                try await client.get("/bad").errors(as: PlainFailure.self).discard()
            } catch let error as MartletError {
                #expect((error.underlying as? PlainFailure)?.reason == "no")
            }
            var names: [String] = []
            for try await page in client.get("/list").pages(of: [EmptyUser].self) { names += page.body.map(\.name) }
            #expect(names == ["Ada", "Ada"])
        }
    }
}
