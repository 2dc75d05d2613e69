// Values in calls: into the query, into the body, or where the method wants them. All is encoded at once, so that a value need not
// be Sendable; what goes wrong is thrown when the call is awaited, as `encodingFailed`.

public import Foundation

extension Call {
    // MARK: Query

    /// Adds an item to the query, percent-encoded, behind what the URL has.
    public func query(_ name: String, _ value: some LosslessStringConvertible) -> Call {
        let encoder = client.defaults.formEncoder
        let text = (value as? Bool).map(encoder.booleans.text) ?? String(value)
        return with { $0.addQuery("\(encoder.escape(name))=\(encoder.escape(text))") }
    }

    /// Adds parameters to the query, behind what the URL has: `query(["q": term, "page": 2, "tags": ["a", "b"]])`.
    ///
    /// Their names are sorted unless the encoder is told otherwise; nil is left out. With nil for `encoder`, the default, it is the
    /// client's `formEncoder`.
    public func query(_ parameters: Parameters, encoder: URLEncodedFormEncoder? = nil) -> Call {
        encoded(parameters, as: .form(encoder, in: .query))
    }

    /// Adds a value's fields to the query, behind what the URL has; a value that is nil adds nothing.
    @_disfavoredOverload
    public func query(_ value: some Encodable, encoder: URLEncodedFormEncoder? = nil) -> Call {
        encoded(value, as: .form(encoder, in: .query))
    }

    // MARK: Where the method wants it

    /// Puts parameters where the method wants them: into the query for GET, HEAD and DELETE, else into a form body.
    public func parameters(
        _ parameters: Parameters, in destination: FormDestination = .methodDependent,
        encoder: URLEncodedFormEncoder? = nil
    ) -> Call {
        encoded(parameters, as: .form(encoder, in: destination))
    }

    /// Puts a value's fields where the method wants them: into the query for GET, HEAD and DELETE, else into a form body.
    @_disfavoredOverload
    public func parameters(
        _ value: some Encodable, in destination: FormDestination = .methodDependent,
        encoder: URLEncodedFormEncoder? = nil
    ) -> Call {
        encoded(value, as: .form(encoder, in: destination))
    }

    // MARK: Body

    /// Sets the body to a value, as an encoder writes it: `body(draft, as: .json)`.
    public func body(_ value: some Encodable, as encoder: some RequestEncoder) -> Call { encoded(value, as: encoder) }

    /// Sets the body to parameters, as an encoder writes them.
    public func body(_ parameters: Parameters, as encoder: some RequestEncoder) -> Call {
        encoded(parameters, as: encoder)
    }

    /// Sets the body to a value as JSON; with nil for `encoder`, the default, by the client's `jsonEncoder`. A value that is nil
    /// sets no body.
    @_disfavoredOverload
    public func body(json value: some Encodable, encoder: JSONEncoder? = nil) -> Call {
        encoded(value, as: JSONRequestEncoder(encoder))
    }

    /// Sets the body to a JSON object: `body(json: ["name": name, "age": 36])`. What is nil is `null`.
    public func body(json parameters: Parameters, encoder: JSONEncoder? = nil) -> Call {
        encoded(parameters, as: JSONRequestEncoder(encoder))
    }

    /// Sets the body to a value as a URL-encoded form; with nil for `encoder`, the default, by the client's `formEncoder`. A value
    /// that is nil sets no body.
    @_disfavoredOverload
    public func body(form value: some Encodable, encoder: URLEncodedFormEncoder? = nil) -> Call {
        encoded(value, as: FormRequestEncoder(encoder))
    }

    /// Sets the body to a URL-encoded form: `body(form: ["user": user, "remember": true])`.
    public func body(form parameters: Parameters, encoder: URLEncodedFormEncoder? = nil) -> Call {
        encoded(parameters, as: FormRequestEncoder(encoder))
    }

    /// Sets the body to a value as a property list; a value that is nil sets no body.
    public func body(
        propertyList value: some Encodable, format: PropertyListSerialization.PropertyListFormat = .xml
    ) -> Call {
        encoded(value, as: PropertyListRequestEncoder(format))
    }

    /// Sets the body to text, in UTF-8 unless another charset is named; characters that the charset does not have are an error.
    public func body(text: String, charset: String = "utf-8", contentType: String = "text/plain") -> Call {
        let body = Result { () throws(MartletError) in
            try RequestBody.text(text, charset: charset, contentType: contentType)
        }
        return with { $0.body = body }
    }

    /// Lets a GET or HEAD carry a body, which is refused otherwise: RFC 9110 gives it no meaning, and servers drop it, refuse it or
    /// take it for the next request.
    public func allowingBodyWithGet() -> Call { options { $0.allowsBodyWithGet = true } }

    // MARK: Parts

    private func encoded(_ value: some Encodable, as encoder: some RequestEncoder) -> Call {
        let defaults = client.defaults
        let context = RequestEncodingContext(
            method: method, jsonEncoder: defaults.jsonEncoder, formEncoder: defaults.formEncoder)
        let part: EncodedRequestPart
        do {
            // A root that is nil has nothing to say, whatever the encoder.
            if RequestBody.isNil(value) { return self }
            part = try encoder.encode(value, in: context)
        } catch {
            let failure = RequestBody.failure(value, "part of the request", error)
            return with { $0.failure = $0.failure ?? failure }
        }
        return with {
            switch part {
            case .query(let text): $0.addQuery(text)
            case .body(let body): $0.body = .success(body)
            }
        }
    }

    private mutating func addQuery(_ text: String) {
        if !query.isEmpty, !text.isEmpty { query += "&" }
        query += text
    }
}

extension Request {
    /// Puts a value into the request as an encoder writes it: into the body, or behind the query.
    ///
    /// - Throws: `encodingFailed`; `invalidURL` for a query of an encoder of your own that cannot be one.
    public mutating func encode(_ value: some Encodable, as encoder: some RequestEncoder) throws(MartletError) {
        let part: EncodedRequestPart
        do {
            part = try encoder.encode(value, in: RequestEncodingContext(method: method))
        } catch {
            throw RequestBody.failure(value, "part of the request", error)
        }
        switch part {
        case .query(let text): try url.appendQuery(encoded: text)
        case .body(let body): self.body = body
        }
    }
}
