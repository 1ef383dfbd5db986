#include "protocol/binary_value.hpp"

#include <bit>

namespace protocol {

namespace {

enum class Layout : std::uint8_t { unsupported, int1, int2, int4, int8, real4, real8, sized, text };

// One table by MYSQL_TYPE_*: what MariaDB 10.11 or MySQL 9 were seen to accept as a parameter.
// The rest must not be read. For INT24, YEAR, BIT and GEOMETRY a MariaDB takes NULL and no bytes,
// so that all later values lie elsewhere than a reader of their bytes believes; MySQL refuses them,
// and both refuse BOOL, and NULL without its null bit.
Layout layout_of(std::uint8_t type) noexcept {
    switch (type) {
        case 1:
            return Layout::int1;  // TINY
        case 2:
            return Layout::int2;  // SHORT
        case 3:
            return Layout::int4;  // LONG
        case 8:
            return Layout::int8;  // LONGLONG
        case 4:
            return Layout::real4;  // FLOAT
        case 5:
            return Layout::real8;  // DOUBLE
        case 7:                    // TIMESTAMP
        case 10:                   // DATE
        case 11:                   // TIME
        case 12:                   // DATETIME
        case 14:
            return Layout::sized;  // NEWDATE
        case 0:                    // DECIMAL
        case 15:                   // VARCHAR
        case 242:                  // VECTOR
        case 245:                  // JSON
        case 246:                  // NEWDECIMAL
        case 247:                  // ENUM
        case 248:                  // SET
        case 249:                  // TINY_BLOB
        case 250:                  // MEDIUM_BLOB
        case 251:                  // LONG_BLOB
        case 252:                  // BLOB
        case 253:                  // VAR_STRING
        case 254:
            return Layout::text;  // STRING
        default:
            return Layout::unsupported;
    }
}

template <class Signed, class Unsigned>
ParamValue integer(Unsigned value, bool is_unsigned) noexcept {
    using Kind = ParamValue::Kind;
    if (!is_unsigned) return {Kind::signed_integer, static_cast<Signed>(value), 0, {}};
    return {Kind::unsigned_integer, static_cast<std::int64_t>(value), 0, {}};
}

}  // namespace

ParameterBlock read_parameter_block(ByteReader& reader, std::uint64_t count, bool named) {
    ParameterBlock block;
    if (count > parameter_count_max) reader.fail(Errc::malformed);
    // Before anything is allocated for `count`: this many bits are really there.
    block.null_bits = as_bytes(reader.text((count + 7) / 8));
    if (reader.failed()) return {};
    // Some clients end here when all is NULL and no type is told.
    block.new_types = reader.left() > 0 && reader.int1() != 0;
    if (!block.new_types) return block;
    if (count > reader.left() / 2) {
        reader.fail(Errc::incomplete);
        return {};
    }
    block.types.reserve(static_cast<std::size_t>(count));
    for (std::uint64_t i = 0; i < count && !reader.failed(); ++i) {
        const std::uint8_t type = reader.int1();
        const bool is_unsigned = (reader.int1() & 0x80) != 0;
        block.types.push_back({type, is_unsigned});
        if (named) static_cast<void>(reader.text_length_encoded());
    }
    return block;
}

bool is_null(const ParameterBlock& block, std::size_t index) noexcept {
    return (block.null_bits[index / 8] >> (index % 8) & 1) != 0;
}

ParamValue read_binary_value(ByteReader& reader, ParamType type) noexcept {
    using Kind = ParamValue::Kind;
    switch (layout_of(type.type)) {
        case Layout::int1:
            return integer<std::int8_t>(reader.int1(), type.is_unsigned);
        case Layout::int2:
            return integer<std::int16_t>(reader.int2(), type.is_unsigned);
        case Layout::int4:
            return integer<std::int32_t>(reader.int4(), type.is_unsigned);
        case Layout::int8:
            return integer<std::int64_t>(reader.int8(), type.is_unsigned);
        case Layout::real4:
            return {Kind::real, 0, static_cast<double>(std::bit_cast<float>(reader.int4())), {}};
        case Layout::real8:
            return {Kind::real, 0, std::bit_cast<double>(reader.int8()), {}};
        case Layout::sized:
            reader.skip(reader.int1());
            return {Kind::other, 0, 0, {}};
        case Layout::text:
            return {Kind::text, 0, 0, reader.text_length_encoded()};
        case Layout::unsupported:
            break;
    }
    reader.fail(Errc::unsupported);
    return {Kind::other, 0, 0, {}};
}

}  // namespace protocol
