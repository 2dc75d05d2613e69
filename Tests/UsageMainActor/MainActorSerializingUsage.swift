// Values from responses in this target: that this compiles without a warning is the test. A type whose conformance belongs to the main
// actor is decoded by the terminals; a serializer is `Sendable`, and so wants one that does not.

import Foundation
import Martlet
import MartletTesting
import Testing

struct MainActorUser: Decodable, Equatable {
    var name: String
}

nonisolated struct FreeUser: Decodable, Equatable, EmptyBodyRepresentable {
    static var emptyBody: FreeUser { FreeUser(name: "") }
    var name: String
}

nonisolated struct FreeFailure: Decodable, Error {
    var reason: String
}

nonisolated struct ShoutingSerializer: ResponseSerializer {
    func serialize(_ response: Response<Data>, in context: SerializationContext) throws -> String {
        String(decoding: response.body, as: UTF8.self).uppercased()
    }
}

@Suite struct MainActorSerializingUsage {
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

    @Test func typesOfTheMainActorAreDecodedByTheTerminals() async throws {
        try await withServer { client in
            let user: MainActorUser = try await client.get("/").json()
            let same = try await client.get("/").json(as: MainActorUser.self)
            #expect(user == same)
            let none: MainActorUser? = try await client.get("/none").json()
            #expect(none == nil)
            let users: [MainActorUser] = try await client.get("/list").json()
            #expect(users.count == 1)
            let decoded = try await client.get("/").response().map {
                try JSONDecoder().decode(MainActorUser.self, from: $0)
            }
            #expect(decoded.body == user)
        }
    }

    @Test func serializersChecksAndPagesAreUsable() async throws {
        try await withServer { client in
            let user = try await client.get("/").serialized(by: .json(FreeUser.self))
            #expect(user.name == "Ada")
            let name = try await client.get("/").serialized(by: .optional(.json(FreeUser.self).map(\.name)))
            #expect(name == "Ada")
            let shout = try await client.get("/").serializedResponse(by: ShoutingSerializer())
            #expect(shout.body == #"{"NAME": "ADA"}"#)
            let empty = try await client.get("/none").json(as: FreeUser.self)
            #expect(empty == .emptyBody)
            let text = try await client.get("/").accepting(contentTypes: ["application/json"]).validating { head in
                guard head.status == .ok else { throw FreeFailure(reason: "status") }
            }.string()
            #expect(text.count == 15)
            do {
                try await client.get("/bad").errors(as: FreeFailure.self).discard()
            } catch let error as MartletError {
                #expect((error.underlying as? FreeFailure)?.reason == "no")
            }
            var names: [String] = []
            for try await page in client.get("/list").pages(of: [FreeUser].self) { names += page.body.map(\.name) }
            #expect(names == ["Ada", "Ada"])
        }
    }
}
