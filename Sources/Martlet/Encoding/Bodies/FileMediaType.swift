// The media type of a file by the end of its name. A table of our own, because the system's differ from machine to machine and a
// request should not. Registered names (IANA) where there are any; what is not in it is `application/octet-stream`.

enum FileMediaType {
    static let unknown = "application/octet-stream"

    /// The type of the file at a path, by its extension in any case.
    static func type(ofPath path: String) -> String {
        let name = path.utf8.split(separator: UInt8(ascii: "/")).last.map { String(Substring($0)) } ?? ""
        guard let dot = name.lastIndex(of: "."), dot > name.startIndex else { return unknown }
        return types[name[name.index(after: dot)...].lowercased()] ?? unknown
    }

    private static let types: [String: String] = {
        var types: [String: String] = [:]
        for line in table.split(separator: "\n") {
            let words = line.split(separator: " ")
            for name in words.dropFirst() { types[String(name)] = String(words[0]) }
        }
        return types
    }()

    private static let table = """
        application/atom+xml atom
        application/cbor cbor
        application/epub+zip epub
        application/geo+json geojson
        application/gzip gz tgz
        application/java-archive jar
        application/json json map
        application/jsonl jsonl ndjson
        application/ld+json jsonld
        application/manifest+json webmanifest
        application/msword doc dot
        application/octet-stream bin dmg iso img
        application/ogg ogx
        application/pdf pdf
        application/pgp-signature asc sig
        application/pkcs8 p8
        application/pkcs10 p10 csr
        application/pkix-cert cer
        application/postscript ai eps ps
        application/protobuf pb
        application/rss+xml rss
        application/rtf rtf
        application/sql sql
        application/toml toml
        application/vnd.android.package-archive apk
        application/vnd.apache.parquet parquet
        application/vnd.debian.binary-package deb
        application/vnd.ms-excel xls
        application/vnd.ms-fontobject eot
        application/vnd.ms-powerpoint ppt
        application/vnd.oasis.opendocument.presentation odp
        application/vnd.oasis.opendocument.spreadsheet ods
        application/vnd.oasis.opendocument.text odt
        application/vnd.openxmlformats-officedocument.presentationml.presentation pptx
        application/vnd.openxmlformats-officedocument.spreadsheetml.sheet xlsx
        application/vnd.openxmlformats-officedocument.wordprocessingml.document docx
        application/vnd.rar rar
        application/vnd.sqlite3 sqlite sqlite3
        application/wasm wasm
        application/x-7z-compressed 7z
        application/x-bzip2 bz2
        application/x-pem-file pem
        application/x-pkcs12 p12 pfx
        application/x-plist plist
        application/x-rpm rpm
        application/x-sh sh
        application/x-tar tar
        application/x-xz xz
        application/xhtml+xml xhtml
        application/xml xml xsl xsd
        application/yaml yaml yml
        application/zip zip
        application/zstd zst
        audio/aac aac
        audio/flac flac
        audio/midi mid midi
        audio/mp4 m4a
        audio/mpeg mp3
        audio/ogg ogg oga opus
        audio/wav wav
        audio/webm weba
        font/collection ttc
        font/otf otf
        font/ttf ttf
        font/woff woff
        font/woff2 woff2
        image/apng apng
        image/avif avif
        image/bmp bmp
        image/gif gif
        image/heic heic
        image/heif heif
        image/jpeg jpg jpeg jpe
        image/jxl jxl
        image/png png
        image/svg+xml svg svgz
        image/tiff tif tiff
        image/vnd.adobe.photoshop psd
        image/vnd.microsoft.icon ico
        image/webp webp
        message/rfc822 eml mht mhtml
        model/gltf+json gltf
        model/gltf-binary glb
        model/stl stl
        text/calendar ics
        text/css css
        text/csv csv
        text/html html htm
        text/javascript js mjs cjs
        text/markdown md markdown
        text/plain txt text log conf ini
        text/tab-separated-values tsv
        text/vcard vcf
        text/vtt vtt
        video/3gpp 3gp
        video/mp2t ts
        video/mp4 mp4 m4v
        video/mpeg mpeg mpg
        video/ogg ogv
        video/quicktime mov qt
        video/webm webm
        video/x-matroska mkv
        video/x-msvideo avi
        """
}
