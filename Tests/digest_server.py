"""A server that asks for Digest authentication, by Flask-HTTPAuth: a second opinion beside httpbin's.

Password of the user `ada` is `s3cr3t`. Each path has an algorithm of its own.
"""

from flask import Flask, request
from flask_httpauth import HTTPDigestAuth

app = Flask(__name__)
app.config["SECRET_KEY"] = "a key for the sessions of tests"

# Sessions would be kept in cookies, which the client of the tests has none of.
NONCE, OPAQUE = "0123456789abcdef0123456789abcdef", "fedcba9876543210fedcba9876543210"


def protect(path, algorithm):
    auth = HTTPDigestAuth(realm="martlet", algorithm=algorithm)
    auth.generate_nonce(lambda: NONCE)
    auth.generate_opaque(lambda: OPAQUE)
    auth.verify_nonce(lambda nonce: nonce == NONCE)
    auth.verify_opaque(lambda opaque: opaque == OPAQUE)
    auth.get_password(lambda user: "s3cr3t" if user == "ada" else None)

    @app.route(path, methods=["GET", "POST"], endpoint=path)
    @auth.login_required
    def greet():
        return f"hello {auth.current_user()}, {request.get_data(as_text=True)}"


protect("/md5", "MD5")
protect("/md5-sess", "MD5-Sess")
