#include "config/regular_file.hpp"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <system_error>

namespace config {
namespace {

class Descriptor {
public:
    explicit Descriptor(int number) : number_(number) {}
    Descriptor(const Descriptor&) = delete;
    Descriptor& operator=(const Descriptor&) = delete;
    ~Descriptor() {
        if (number_ >= 0) ::close(number_);
    }
    [[nodiscard]] int number() const { return number_; }

private:
    int number_;
};

FileContent failed(std::string wrong) {
    return {{}, std::move(wrong), false};
}

FileContent failed_with(int code) {
    return failed("cannot be read: " + std::generic_category().message(code));
}

}  // namespace

FileContent read_regular_file(const std::string& path, std::size_t bytes_max) {
    // O_NONBLOCK: opening a pipe must not wait for its other end.
    const Descriptor file(::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK));
    if (file.number() < 0) return failed_with(errno);
    struct stat status {};
    if (::fstat(file.number(), &status) != 0) return failed_with(errno);
    if (!S_ISREG(status.st_mode)) return failed("is not a regular file");

    FileContent content;
    content.world_readable = (status.st_mode & S_IROTH) != 0;
    std::array<char, 65536> buffer{};
    while (content.bytes.size() <= bytes_max) {
        const ssize_t count = ::read(file.number(), buffer.data(), buffer.size());
        if (count == 0) return content;
        if (count < 0 && errno == EINTR) continue;
        if (count < 0) return failed_with(errno);
        content.bytes.append(buffer.data(), static_cast<std::size_t>(count));
    }
    return failed("is larger than " + std::to_string(bytes_max) + " bytes");
}

}  // namespace config
