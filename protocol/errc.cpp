#include "protocol/errc.hpp"

#include <string>

namespace protocol {

namespace {

// Boost.System's base has no virtual destructor, on purpose: categories are never deleted.
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wnon-virtual-dtor"
class Category final : public boost::system::error_category {
public:
    [[nodiscard]] const char* name() const noexcept override { return "protocol"; }
    [[nodiscard]] std::string message(int value) const override {
        switch (static_cast<Errc>(value)) {
            case Errc::ok:
                return "no error";
            case Errc::incomplete:
                return "packet is shorter than its fields say";
            case Errc::malformed:
                return "packet has a value that the protocol does not allow";
            case Errc::trailing_bytes:
                return "packet has more bytes than fields";
            case Errc::unsupported:
                return "valid form that is refused on purpose";
        }
        return "unknown protocol error";
    }
};
#pragma GCC diagnostic pop

}  // namespace

const boost::system::error_category& error_category() noexcept {
    static const Category category;
    return category;
}

}  // namespace protocol
