#ifndef MARTLET_CNGHTTP2_SHIM_H
#define MARTLET_CNGHTTP2_SHIM_H

/* nghttp2, and inline functions for the members of its frame union. No logic. */

#include <nghttp2/nghttp2.h>

static inline int32_t martlet_frame_stream(const nghttp2_frame *frame) { return frame->hd.stream_id; }
static inline uint8_t martlet_frame_type(const nghttp2_frame *frame) { return frame->hd.type; }
static inline size_t martlet_frame_length(const nghttp2_frame *frame) { return frame->hd.length; }
static inline int martlet_frame_ends_stream(const nghttp2_frame *frame) {
    return (frame->hd.flags & NGHTTP2_FLAG_END_STREAM) != 0;
}
static inline int martlet_frame_is_ack(const nghttp2_frame *frame) {
    return (frame->hd.flags & NGHTTP2_FLAG_ACK) != 0;
}
static inline uint32_t martlet_frame_error(const nghttp2_frame *frame) {
    return frame->hd.type == NGHTTP2_GOAWAY ? frame->goaway.error_code : frame->rst_stream.error_code;
}
static inline int32_t martlet_goaway_last_stream(const nghttp2_frame *frame) { return frame->goaway.last_stream_id; }
static inline const uint8_t *martlet_goaway_text(const nghttp2_frame *frame) { return frame->goaway.opaque_data; }
static inline size_t martlet_goaway_text_length(const nghttp2_frame *frame) { return frame->goaway.opaque_data_len; }
static inline const uint8_t *martlet_ping_data(const nghttp2_frame *frame) { return frame->ping.opaque_data; }

#endif
