#ifndef MARTLET_COPENSSL_SHIM_H
#define MARTLET_COPENSSL_SHIM_H

/* OpenSSL 3, and inline functions for those of its names that are macros. No logic. */

#include <openssl/bio.h>
#include <openssl/bn.h>
#include <openssl/err.h>
#include <openssl/evp.h>
#include <openssl/hmac.h>
#include <openssl/ec.h>
#include <openssl/pem.h>
#include <openssl/rand.h>
#include <openssl/rsa.h>
#include <openssl/ssl.h>
#include <openssl/x509.h>
#include <openssl/x509v3.h>
#include <openssl/x509_vfy.h>

/* Client contexts: no renegotiation, no compression; buffers let go when idle, writes may be cut short and move. */
static inline uint64_t martlet_SSL_client_options(void) { return SSL_OP_NO_RENEGOTIATION | SSL_OP_NO_COMPRESSION; }
static inline long martlet_SSL_client_modes(void) {
    return SSL_MODE_RELEASE_BUFFERS | SSL_MODE_ENABLE_PARTIAL_WRITE | SSL_MODE_ACCEPT_MOVING_WRITE_BUFFER;
}
static inline unsigned long martlet_XN_FLAG_RFC2253(void) { return XN_FLAG_RFC2253; }

static inline long martlet_SSL_CTX_set_min_proto_version(SSL_CTX *ctx, int version) {
    return SSL_CTX_set_min_proto_version(ctx, version);
}
static inline long martlet_SSL_CTX_set_max_proto_version(SSL_CTX *ctx, int version) {
    return SSL_CTX_set_max_proto_version(ctx, version);
}
static inline long martlet_SSL_CTX_set_session_cache_mode(SSL_CTX *ctx, long mode) {
    return SSL_CTX_set_session_cache_mode(ctx, mode);
}
static inline long martlet_SSL_CTX_set_mode(SSL_CTX *ctx, long mode) { return SSL_CTX_set_mode(ctx, mode); }
static inline void martlet_SSL_CTX_set_read_ahead(SSL_CTX *ctx) { SSL_CTX_set_read_ahead(ctx, 1); }
static inline long martlet_SSL_set_tlsext_host_name(SSL *ssl, const char *name) {
    return SSL_set_tlsext_host_name(ssl, name);
}
static inline void martlet_BIO_set_retry_read(BIO *bio) { BIO_set_retry_read(bio); }
static inline void martlet_BIO_set_retry_write(BIO *bio) { BIO_set_retry_write(bio); }
static inline void martlet_BIO_clear_retry_flags(BIO *bio) { BIO_clear_retry_flags(bio); }
static inline int martlet_ERR_get_lib(unsigned long code) { return ERR_GET_LIB(code); }
static inline int martlet_ERR_get_reason(unsigned long code) { return ERR_GET_REASON(code); }
static inline int martlet_BIO_get_mem_data(BIO *bio, char **data) { return (int)BIO_get_mem_data(bio, data); }
static inline EVP_PKEY *martlet_EVP_EC_gen(const char *curve) { return EVP_EC_gen(curve); }
static inline int martlet_sk_X509_num(const STACK_OF(X509) *stack) { return sk_X509_num(stack); }
static inline X509 *martlet_sk_X509_value(const STACK_OF(X509) *stack, int index) {
    return sk_X509_value(stack, index);
}
static inline long martlet_SSL_CTX_add1_chain_cert(SSL_CTX *ctx, X509 *certificate) {
    return SSL_CTX_add1_chain_cert(ctx, certificate);
}

#endif
