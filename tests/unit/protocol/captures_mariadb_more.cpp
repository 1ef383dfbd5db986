// Replies of a MariaDB 10.11.19 over a Unix socket, byte for byte, to commands sent by a plain
// script. Table t has (1, "one"), (2, NULL), (3, ""); procedure p selects 1, selects nothing and
// sets its OUT parameter. One string per frame, header included.

#include "captures.hpp"

namespace protocol {

// clang-format off
const std::vector<Capture>& mariadb_more_captures() {
    static const std::vector<Capture> captures = {
    {"deprecate_eof and session_track: use",
     ReplyShape::result, deprecate_eof_and_track,
     {
         "110000010000000240000000080106056d7973716c",
     },
     How::ok, 0x4002, 0, false},
    {"deprecate_eof and session_track: init db",
     ReplyShape::ok_or_err, deprecate_eof_and_track,
     {
         "1000000100000002400000000701050474657374",
     },
     How::ok, 0x4002, 0, false},
    {"deprecate_eof and session_track: select",
     ReplyShape::result, deprecate_eof_and_track,
     {
         "0100000102",
         "20000002036465660474657374017401740269640269640c3f000b000000030350000000",
         "1e00000303646566047465737401740174017601760c2d0050000000fd0000000000",
         "060000040131036f6e65",
         "030000050132fb",
         "03000006013300",
         "07000007fe000022000000",
     },
     How::ok, 0x0022, 0, true},
    {"session_track: set names",
     ReplyShape::result, deprecate_eof_and_track,
     {
         "6b0000010000000240000000620021186368617261637465725f7365745f636f6e6e656374696f6e0775"
         "7466386d6234001d146368617261637465725f7365745f636c69656e7407757466386d6234001e156368"
         "617261637465725f7365745f726573756c747307757466386d6234",
     },
     How::ok, 0x4002, 0, false},
    {"session_track: set autocommit",
     ReplyShape::result, deprecate_eof_and_track,
     {
         "1a00000100000000c000000011000f0a6175746f636f6d6d6974034f4646",
     },
     How::ok, 0xc000, 0, false},
    {"session_track: begin",
     ReplyShape::result, deprecate_eof_and_track,
     {
         "0700000100000001800000",
     },
     How::ok, 0x8001, 0, false},
    {"session_track: set session_track_system_variables",
     ReplyShape::result, deprecate_eof_and_track,
     {
         "8e00000100000001c00000008500211e73657373696f6e5f747261636b5f73797374656d5f7661726961"
         "626c6573012a002f1e73657373696f6e5f747261636b5f7472616e73616374696f6e5f696e666f0f4348"
         "41524143544552495354494353001e1a73657373696f6e5f747261636b5f73746174655f6368616e6765"
         "024f4e0201310509085f5f5f5f5f5f5f5f040100",
     },
     How::ok, 0xc001, 0, false},
    {"session_track: start transaction",
     ReplyShape::result, deprecate_eof_and_track,
     {
         "2900000100000001c000000020050908545f5f5f5f5f5f5f0413125354415254205452414e5341435449"
         "4f4e3b",
     },
     How::ok, 0xc001, 0, false},
    {"progress reports: alter table",
     ReplyShape::result, deprecate_eof,
     {
         "1b000001ffffff010102050d0011636f707920746f20746d70207461626c65",
         "17000002ffffff0102020000000d456e61626c696e67206b657973",
         "3600000300fde0930400020000002b5265636f7264733a2033303030303020204475706c696361746573"
         "3a203020205761726e696e67733a2030",
     },
     How::ok, 0x0002, 0, false},
    {"cache_metadata and deprecate_eof: select",
     ReplyShape::result, cache_metadata_and_deprecate_eof,
     {
         "020000010201",
         "20000002036465660474657374017401740269640269640c3f000b000000030350000000",
         "1e00000303646566047465737401740174017601760c2d0050000000fd0000000000",
         "060000040131036f6e65",
         "030000050132fb",
         "03000006013300",
         "07000007fe000022000000",
     },
     How::ok, 0x0022, 0, true},
    {"cache_metadata and deprecate_eof: no rows",
     ReplyShape::result, cache_metadata_and_deprecate_eof,
     {
         "020000010101",
         "20000002036465660474657374017401740269640269640c3f000b000000030350000000",
         "07000003fe000002000000",
     },
     How::ok, 0x0002, 0, true},
    {"cache_metadata and deprecate_eof: several statements, one fails",
     ReplyShape::result, cache_metadata_and_deprecate_eof,
     {
         "070000010000000a000000",
         "020000020101",
         "17000003036465660000000131000c3f0001000000038100000000",
         "020000040131",
         "07000005fe00000a000000",
         "2a000006ff7a042334325330325461626c652027746573742e6e6f737563682720646f65736e27742065"
         "78697374",
     },
     How::err, 0x0002, 1146, true},
    {"cache_metadata and deprecate_eof: call",
     ReplyShape::result, cache_metadata_and_deprecate_eof,
     {
         "020000010101",
         "17000002036465660000000131000c3f0001000000038100000000",
         "020000030131",
         "07000004fe00000a000000",
         "020000050101",
         "17000006036465660000000132000c3f0001000000038100000000",
         "07000007fe00000a000000",
         "0700000800000002000000",
     },
     How::ok, 0x0002, 0, true},
    {"cache_metadata and deprecate_eof: prepare",
     ReplyShape::prepare, cache_metadata_and_deprecate_eof,
     {
         "0c000001000900000001000100000000",
         "1700000203646566000000013f000c3f0000000000068000000000",
         "20000003036465660474657374017401740269640269640c3f000b000000030350000000",
     },
     How::prepared, no_status, 0, false},
    {"cache_metadata and deprecate_eof: execute without definitions",
     ReplyShape::execute, cache_metadata_and_deprecate_eof,
     {
         "020000010100",
         "06000002000001000000",
         "07000003fe000002000000",
     },
     How::ok, 0x0002, 0, true},
    {"cache_metadata and deprecate_eof: execute with a cursor",
     ReplyShape::execute, cache_metadata_and_deprecate_eof,
     {
         "020000010101",
         "20000002036465660474657374017401740269640269640c3f000b000000030110000000",
         "07000003fe000042000000",
     },
     How::ok, 0x0042, 0, true},
    {"cache_metadata and deprecate_eof: execute with a cursor, without definitions",
     ReplyShape::execute, cache_metadata_and_deprecate_eof,
     {
         "020000010100",
         "07000002fe000042000000",
     },
     How::ok, 0x0042, 0, true},
    {"cache_metadata and deprecate_eof: fetch",
     ReplyShape::rows, cache_metadata_and_deprecate_eof,
     {
         "06000001000001000000",
         "07000002fe000082000000",
     },
     How::ok, 0x0082, 0, true},
    {"cache_metadata and deprecate_eof: duplicate key",
     ReplyShape::result, cache_metadata_and_deprecate_eof,
     {
         "2e000001ff26042332333030304475706c696361746520656e7472792027312720666f72206b65792027"
         "5052494d41525927",
     },
     How::err, no_status, 1062, false},
    {"cache_metadata and deprecate_eof: with a warning",
     ReplyShape::result, cache_metadata_and_deprecate_eof,
     {
         "020000010101",
         "190000020364656600000003312f30000c3f0007000000f68000040000",
         "01000003fb",
         "07000004fe000002000100",
     },
     How::ok, 0x0002, 0, true},
    {"cache_metadata and deprecate_eof: error among rows",
     ReplyShape::result, cache_metadata_and_deprecate_eof,
     {
         "020000010201",
         "20000002036465660474657374017401740269640269640c3f000b000000030350000000",
         "30000003036465660000001a2873656c656374203120756e696f6e2073656c65637420696429000c3f00"
         "0b000000038000000000",
         "0400000401310131",
         "29000005ffda0423323130303053756271756572792072657475726e73206d6f7265207468616e203120"
         "726f77",
     },
     How::err, no_status, 1242, true},
    {"cache_metadata: select",
     ReplyShape::result, cache_metadata,
     {
         "020000010201",
         "20000002036465660474657374017401740269640269640c3f000b000000030350000000",
         "1e00000303646566047465737401740174017601760c2d0050000000fd0000000000",
         "05000004fe00002200",
         "060000050131036f6e65",
         "030000060132fb",
         "03000007013300",
         "05000008fe00002200",
     },
     How::ok, 0x0022, 0, true},
    {"cache_metadata: no rows",
     ReplyShape::result, cache_metadata,
     {
         "020000010101",
         "20000002036465660474657374017401740269640269640c3f000b000000030350000000",
         "05000003fe00000200",
         "05000004fe00000200",
     },
     How::ok, 0x0002, 0, true},
    {"cache_metadata: several statements, one fails",
     ReplyShape::result, cache_metadata,
     {
         "070000010000000a000000",
         "020000020101",
         "17000003036465660000000131000c3f0001000000038100000000",
         "05000004fe00000a00",
         "020000050131",
         "05000006fe00000a00",
         "2a000007ff7a042334325330325461626c652027746573742e6e6f737563682720646f65736e27742065"
         "78697374",
     },
     How::err, 0x0002, 1146, true},
    {"cache_metadata: prepare",
     ReplyShape::prepare, cache_metadata,
     {
         "0c000001000500000001000100000000",
         "1700000203646566000000013f000c3f0000000000068000000000",
         "05000003fe00000200",
         "20000004036465660474657374017401740269640269640c3f000b000000030350000000",
         "05000005fe00000200",
     },
     How::prepared, no_status, 0, false},
    {"cache_metadata: execute without definitions",
     ReplyShape::execute, cache_metadata,
     {
         "020000010100",
         "05000002fe00000200",
         "06000003000001000000",
         "05000004fe00000200",
     },
     How::ok, 0x0002, 0, true},
    {"cache_metadata: execute with a cursor",
     ReplyShape::execute, cache_metadata,
     {
         "020000010101",
         "20000002036465660474657374017401740269640269640c3f000b000000030110000000",
         "05000003fe00004200",
     },
     How::ok, 0x0042, 0, true},
    {"cache_metadata: execute with a cursor, without definitions",
     ReplyShape::execute, cache_metadata,
     {
         "020000010100",
         "05000002fe00004200",
     },
     How::ok, 0x0042, 0, true},
    {"cache_metadata: with a warning",
     ReplyShape::result, cache_metadata,
     {
         "020000010101",
         "190000020364656600000003312f30000c3f0007000000f68000040000",
         "05000003fe00000200",
         "01000004fb",
         "05000005fe01000200",
     },
     How::ok, 0x0002, 0, true},
    {"cache_metadata: error among rows",
     ReplyShape::result, cache_metadata,
     {
         "020000010201",
         "20000002036465660474657374017401740269640269640c3f000b000000030350000000",
         "30000003036465660000001a2873656c656374203120756e696f6e2073656c65637420696429000c3f00"
         "0b000000038000000000",
         "05000004fe00002200",
         "0400000501310131",
         "29000006ffda0423323130303053756271756572792072657475726e73206d6f7265207468616e203120"
         "726f77",
     },
     How::err, 0x0022, 1242, true},
    {"bulk with all: bulk execute",
     ReplyShape::execute, cache_metadata_and_deprecate_eof,
     {
         "2e00000100020002000000265265636f7264733a203220204475706c6963617465733a20302020576172"
         "6e696e67733a2030",
     },
     How::ok, 0x0002, 0, false},
    };
    return captures;
}
// clang-format on

}  // namespace protocol
