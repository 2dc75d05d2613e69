// What is sent and served, as far as more than one program names it.

/// Names and bodies.
package enum Contents {
    /// The name of the big file.
    package static let big = "big"
    /// The body of a small POST.
    package static let postBody =
        #"{"name":"A small document, such as a client often sends","count":12345,"tags":["one","two"]}"#
}
