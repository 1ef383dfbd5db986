#include "proxy/gate/resp.hpp"

#include <hiredis/hiredis.h>

#include <vector>

namespace proxy {

std::string resp_command(std::span<const std::string_view> words) {
    std::vector<const char*> starts;
    std::vector<std::size_t> lengths;
    starts.reserve(words.size());
    lengths.reserve(words.size());
    for (const auto word : words) {
        starts.push_back(word.data());
        lengths.push_back(word.size());
    }
    char* bytes = nullptr;
    const int length = redisFormatCommandArgv(
        &bytes, static_cast<int>(words.size()), starts.data(), lengths.data()
    );
    if (length < 0) return {};
    std::string command(bytes, static_cast<std::size_t>(length));
    redisFreeCommand(bytes);
    return command;
}

RespKind RespValue::kind() const noexcept {
    if (reply_ == nullptr) return RespKind::none;
    switch (reply_->type) {
        case REDIS_REPLY_STRING:
            return RespKind::text;
        case REDIS_REPLY_ARRAY:
            return RespKind::array;
        case REDIS_REPLY_INTEGER:
            return RespKind::integer;
        case REDIS_REPLY_NIL:
            return RespKind::nil;
        case REDIS_REPLY_STATUS:
            return RespKind::status;
        case REDIS_REPLY_ERROR:
            return RespKind::error;
        default:
            return RespKind::none;
    }
}

std::int64_t RespValue::integer() const noexcept {
    return kind() == RespKind::integer ? static_cast<std::int64_t>(reply_->integer) : 0;
}

std::string_view RespValue::text() const noexcept {
    const RespKind is = kind();
    if (is != RespKind::text && is != RespKind::status && is != RespKind::error) return {};
    return {reply_->str, reply_->len};
}

std::size_t RespValue::size() const noexcept {
    return kind() == RespKind::array ? reply_->elements : 0;
}

RespValue RespValue::at(std::size_t index) const noexcept {
    return index < size() ? RespValue(reply_->element[index]) : RespValue();
}

void RespReply::Free::operator()(redisReply* reply) const noexcept {
    freeReplyObject(reply);
}

void RespReader::Free::operator()(redisReader* reader) const noexcept {
    redisReaderFree(reader);
}

RespReader::RespReader() : reader_(redisReaderCreate()), broken_(reader_ == nullptr) {}

void RespReader::feed(std::string_view bytes) {
    if (broken_) return;
    broken_ = redisReaderFeed(reader_.get(), bytes.data(), bytes.size()) != REDIS_OK;
}

RespReply RespReader::next() {
    if (broken_) return {};
    void* reply = nullptr;
    if (redisReaderGetReply(reader_.get(), &reply) != REDIS_OK) {
        broken_ = true;
        return {};
    }
    return RespReply(static_cast<redisReply*>(reply));
}

}  // namespace proxy
