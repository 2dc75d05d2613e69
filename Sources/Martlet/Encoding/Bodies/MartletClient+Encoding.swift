// The verbs with values and templates.

import Foundation

extension MartletClient {
    // MARK: Templates

    /// A GET of a URI template (RFC 6570): `get("/repos/{owner}/{repo}{?page}", ["owner": owner, "repo": repo])`.
    ///
    /// Variables of the query may be left out; one of the path that is forgotten, and one that the template does not have, are
    /// errors. For other forms of call: `post(.template(…), json: draft)`.
    public func get(_ template: String, _ variables: Parameters) -> Call { get(.template(template, variables)) }

    /// A HEAD of a URI template, as with GET.
    public func head(_ template: String, _ variables: Parameters) -> Call { head(.template(template, variables)) }

    /// A DELETE of a URI template, as with GET.
    public func delete(_ template: String, _ variables: Parameters) -> Call { delete(.template(template, variables)) }

    /// A POST to a URI template, as with GET; without a body unless one is added with `body(…)`.
    public func post(_ template: String, _ variables: Parameters) -> Call { post(.template(template, variables)) }

    /// A PUT to a URI template, as with GET; without a body unless one is added with `body(…)`.
    public func put(_ template: String, _ variables: Parameters) -> Call { put(.template(template, variables)) }

    /// A PATCH to a URI template, as with GET; without a body unless one is added with `body(…)`.
    public func patch(_ template: String, _ variables: Parameters) -> Call { patch(.template(template, variables)) }

    // MARK: JSON objects

    /// A POST of a JSON object: `post("/users", json: ["name": name, "age": 36])`.
    public func post(_ url: some URLConvertible, json object: Parameters) -> Call { post(url).body(json: object) }

    /// A PUT of a JSON object.
    public func put(_ url: some URLConvertible, json object: Parameters) -> Call { put(url).body(json: object) }

    /// A PATCH of a JSON object.
    public func patch(_ url: some URLConvertible, json object: Parameters) -> Call { patch(url).body(json: object) }

    // MARK: Any format

    /// A POST of a value, as an encoder writes it: `post("/users", body: draft, as: .json)`.
    public func post(_ url: some URLConvertible, body value: some Encodable, as encoder: some RequestEncoder) -> Call {
        post(url).body(value, as: encoder)
    }

    /// A PUT of a value, as an encoder writes it.
    public func put(_ url: some URLConvertible, body value: some Encodable, as encoder: some RequestEncoder) -> Call {
        put(url).body(value, as: encoder)
    }

    /// A PATCH of a value, as an encoder writes it.
    public func patch(_ url: some URLConvertible, body value: some Encodable, as encoder: some RequestEncoder) -> Call {
        patch(url).body(value, as: encoder)
    }

    // MARK: Forms and text

    /// A POST of a URL-encoded form: `post("/login", form: ["user": user, "remember": true])`.
    public func post(_ url: some URLConvertible, form parameters: Parameters) -> Call {
        post(url).body(form: parameters)
    }

    /// A POST of a value as a URL-encoded form.
    @_disfavoredOverload
    public func post(_ url: some URLConvertible, form value: some Encodable) -> Call { post(url).body(form: value) }

    /// A PUT of a URL-encoded form.
    public func put(_ url: some URLConvertible, form parameters: Parameters) -> Call { put(url).body(form: parameters) }

    /// A PUT of a value as a URL-encoded form.
    @_disfavoredOverload
    public func put(_ url: some URLConvertible, form value: some Encodable) -> Call { put(url).body(form: value) }

    /// A PATCH of a URL-encoded form.
    public func patch(_ url: some URLConvertible, form parameters: Parameters) -> Call {
        patch(url).body(form: parameters)
    }

    /// A PATCH of a value as a URL-encoded form.
    @_disfavoredOverload
    public func patch(_ url: some URLConvertible, form value: some Encodable) -> Call { patch(url).body(form: value) }

    /// A POST of text in UTF-8, `text/plain`.
    public func post(_ url: some URLConvertible, text: String) -> Call { post(url).body(text: text) }

    /// A PUT of text in UTF-8, `text/plain`.
    public func put(_ url: some URLConvertible, text: String) -> Call { put(url).body(text: text) }
}
