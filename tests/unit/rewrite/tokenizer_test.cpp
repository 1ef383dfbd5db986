#include "rewrite/tokenizer.hpp"

#include "rewrite/text.hpp"
#include "row.hpp"

#include <gtest/gtest.h>

#include <random>
#include <string>
#include <vector>

namespace rewrite_test {

namespace {

using rewrite::Charset;
using rewrite::Dialect;
using rewrite::Token;
using rewrite::Tokenizer;
using rewrite::TokenKind;

constexpr Dialect mysql{};
constexpr Dialect mysql97{.server_version = 90704};
constexpr Dialect mariadb{.server_version = 101119, .is_mariadb = true};
constexpr Dialect ansi{.ansi_quotes = true};
constexpr Dialect no_escapes{.no_backslash_escapes = true};
constexpr Dialect gbk{.charset = Charset::gbk};
constexpr Dialect sjis{.charset = Charset::sjis};

std::vector<Token> tokens_of(std::string_view text, const Dialect& dialect) {
    std::vector<Token> tokens;
    Tokenizer tokenizer(text, dialect);
    do {
        tokens.push_back(tokenizer.next());
    } while (tokens.back().kind != TokenKind::end);
    return tokens;
}

char letter_of(TokenKind kind) {
    constexpr std::string_view letters = ".bchvVwqsnxuyp*!X";
    return letters[static_cast<std::size_t>(kind)];
}

// "w:SELECT n:1": the significant tokens, comments and all; blanks are left out.
std::string shown(std::string_view text, const Dialect& dialect) {
    std::string out;
    for (const Token& token : tokens_of(text, dialect)) {
        if (token.kind == TokenKind::end || token.kind == TokenKind::blank) continue;
        if (!out.empty()) out += ' ';
        out += letter_of(token.kind);
        out += ':';
        out += token.text;
    }
    return out;
}

struct Case {
    std::string_view text;
    std::string_view expected;
    Dialect dialect = mysql;
};

void check(const std::vector<Case>& cases) {
    for (const Case& entry : cases) {
        EXPECT_EQ(shown(entry.text, entry.dialect), entry.expected) << entry.text;
    }
}

TEST(Tokenizer, ReadsNumbers) {
    check({
        {"1", "n:1"},
        {"1.", "n:1."},
        {".5", "n:.5"},
        {"1.5", "n:1.5"},
        {"1e3", "n:1e3"},
        {"1E+3", "n:1E+3"},
        {"1.5e-3", "n:1.5e-3"},
        {"1.e5", "n:1.e5"},
        {"1e1abc", "n:1e1 w:abc"},
        {"1e", "w:1e"},
        {"1e+", "w:1e *:+"},
        {"1.x", "n:1. w:x"},
        {"1..5", "n:1. n:.5"},
        {"1.e", "X:1.e"},
        {"1abc", "w:1abc"},
        {"0x1F", "x:0x1F"},
        {"0X1F", "w:0X1F"},
        {"0xZZ", "w:0xZZ"},
        {"0x", "w:0x"},
        {"0b01", "x:0b01"},
        {"0b2", "w:0b2"},
        {"x'4a'", "x:x'4a'"},
        {"X''", "x:X''"},
        {"x'4'", "X:x'4'"},
        {"x'zz' a", "X:x'zz' a"},
        {"b'01'", "x:b'01'"},
        {"B'2'", "X:B'2'"},
        {"-1", "*:- n:1"},
        {"1-1", "n:1 *:- n:1"},
    });
}

TEST(Tokenizer, ReadsNames) {
    check({
        {"a_1$", "w:a_1$"},
        {"t.1a", "w:t *:. w:1a"},
        {"t.1e5", "w:t *:. w:1e5"},
        {"t .5", "w:t n:.5"},
        {"t. 5", "w:t *:. n:5"},
        {"`t`.5", "q:`t` n:.5"},
        {"t.*", "w:t *:. *:*"},
        {"a.b.c", "w:a *:. w:b *:. w:c"},
        {"`a``b`", "q:`a``b`"},
        {"``", "q:``"},
        {"`a", "X:`a"},
        {"xyz'a'", "w:xyz s:'a'"},
        {"x", "w:x"},
        {"n", "w:n"},
        {"\xe5\xba\x93\xc3\xa9", "w:\xe5\xba\x93\xc3\xa9"},
        {"a\xff"
         "b",
         "w:a !:\xff w:b"},
        {"\"a\"\"b\"", "q:\"a\"\"b\"", ansi},
        {"$$ a $$", "X:$$ a $$"},
        {"$tag$ a", "X:$tag$ a"},
        {"$a", "w:$a"},
        {"$$ a", "w:$$ w:a", mariadb},
        {std::string_view("`a\0`", 4), std::string_view("X:`a\0`", 6)},
    });
}

TEST(Tokenizer, ReadsStrings) {
    check({
        {"'a'", "s:'a'"},
        {"'it''s'", "s:'it''s'"},
        {"'it\\'s'", "s:'it\\'s'"},
        {"'it\\'", "X:'it\\'"},
        {"'it\\'", "s:'it\\'", no_escapes},
        {"'a' 'b'", "s:'a' s:'b'"},
        {"\"a'b\"", "s:\"a'b\""},
        {"N'a' n'b'", "s:N'a' s:n'b'"},
        {"_utf8mb4'a'", "w:_utf8mb4 s:'a'"},
        {"'", "X:'"},
        {"'\\", "X:'\\"},
        {std::string_view("'a\0b'", 5), std::string_view("s:'a\0b'", 7)},
        {"'\xd5\x5c'", "s:'\xd5\x5c'", gbk},
        {"'\xd5\x5c' '", "s:'\xd5\x5c' '"},
        {"'\x81' 'a", "s:'\x81' X:'a", gbk},
        {"'\xb1\\''", "s:'\xb1\\''", sjis},
        {"`\xd5\x60`", "q:`\xd5\x60`", gbk},
        {"\xd5\x60", "w:\xd5\x60", gbk},
        {"`\xd5`", "X:`\xd5`", gbk},
    });
}

TEST(Tokenizer, ReadsComments) {
    check({
        {"a # b\nc", "w:a c:# b w:c"},
        {"a -- b\nc", "w:a c:-- b w:c"},
        {"a --\tb", "w:a c:--\tb"},
        {"a --", "w:a c:--"},
        {"a --\x01x", "w:a c:--\x01x"},
        {"a--b", "w:a *:- *:- w:b"},
        {"a /* b */ c", "w:a c:/* b */ w:c"},
        {"/**/", "c:/**/"},
        {"/*/ a", "X:/*/ a"},
        {"/* /* */ a */", "c:/* /* */ w:a *:* *:/"},
        {"a/b", "w:a *:/ w:b"},
        {"/*+ hint */", "h:/*+ hint */"},
        {"/*+ hint */", "c:/*+ hint */", mariadb},
        {"/*+ a(`*/`) */ b", "X:/*+ a(`*/`) */ b"},
        {"/*+ a(`b`) */ c", "h:/*+ a(`b`) */ w:c"},
        {"/*+ a", "X:/*+ a"},
    });
}

TEST(Tokenizer, ReadsVersionComments) {
    check({
        {"/*! a */ b", "v:/*! w:a V:*/ w:b"},
        {"/*!*/", "v:/*! V:*/"},
        {"/*!40000 a */", "v:/*!40000 w:a V:*/"},
        {"/*!40000a*/", "v:/*!40000 w:a V:*/"},
        {"/*!4000 a*/", "v:/*! n:4000 w:a V:*/"},
        {"/*!99999 a */ b", "c:/*!99999 a */ w:b"},
        {"/*!99999 /* a */ b */ c", "c:/*!99999 /* a */ b */ w:c"},
        {"/*!40000 /* a */ b */ c", "v:/*!40000 c:/* a */ w:b V:*/ w:c"},
        {"/*! /*!99999 a */ b */ c", "v:/*! c:/*!99999 a */ w:b V:*/ w:c"},
        {"/*! a '*/' */", "v:/*! w:a s:'*/' V:*/"},
        {"/*! a", "v:/*! w:a X:"},
        {"/*!99999 a", "X:/*!99999 a"},
        {"*/", "*:* *:/"},
        {"/*!50701 a */", "c:/*!50701 a */", mariadb},
        {"/*!50699 a */", "v:/*!50699 w:a V:*/", mariadb},
        {"/*!100000 a */", "v:/*!100000 w:a V:*/", mariadb},
        {"/*!1000001 a */", "v:/*!100000 n:1 w:a V:*/", mariadb},
        {"/*M!50701 a */", "v:/*M!50701 w:a V:*/", mariadb},
        {"/*M! a */", "v:/*M! w:a V:*/", mariadb},
        {"/*M a */", "c:/*M a */", mariadb},
        {"/*M! a */", "c:/*M! a */"},
        {"/*!100000 a */", "X:/*!100000 a */"},
        {"/*!100000 a */", "c:/*!100000 a */", mysql97},
        {"/*!100000a */", "v:/*!10000 w:0a V:*/", mysql97},
        {"/*!080036 a */", "v:/*!080036 w:a V:*/", mysql97},
    });
}

TEST(Tokenizer, ReadsOperatorsAndVariables) {
    check({
        {"a<=>b", "w:a *:<=> w:b"},
        {"a<>b!=c", "w:a *:<> w:b *:!= w:c"},
        {"a<<b>>c", "w:a *:<< w:b *:>> w:c"},
        {"a>=b<=c", "w:a *:>= w:b *:<= w:c"},
        {"a=>b", "w:a *:=> w:b"},
        {"a=-1", "w:a *:= *:- n:1"},
        {"a<-1", "w:a *:< *:- n:1"},
        {"a||b&&c|d&e", "w:a *:|| w:b *:&& w:c *:| w:d *:& w:e"},
        {"a:=b", "w:a *::= w:b"},
        {"l:b", "w:l *:: w:b"},
        {"a->'$'", "w:a *:-> s:'$'"},
        {"a->>'$'", "w:a *:->> s:'$'"},
        {"a=?", "w:a *:= p:?"},
        {"?a", "!:? w:a"},
        {"@a.b", "u:@a.b"},
        {"@'a b'", "u:@'a b'"},
        {"@`a`", "u:@`a`"},
        {"@'a", "X:@'a"},
        {"@", "u:@"},
        {"@@a.b", "y:@@a *:. w:b"},
        {"@@`a`", "y:@@ q:`a`"},
        {"(a,b);{c}", "*:( w:a *:, w:b *:) *:; *:{ w:c *:}"},
        {"\\N", "!:\\ w:N"},
        {std::string_view("a\0b", 3), std::string_view("w:a X:\0b", 8)},
    });
}

std::string joined(std::string_view text, const Dialect& dialect) {
    std::string out;
    for (const Token& token : tokens_of(text, dialect)) out += token.text;
    return out;
}

std::vector<Dialect> many_dialects() {
    std::vector<Dialect> dialects;
    for (int bits = 0; bits < 8; ++bits) {
        for (int charset = 0; charset < 5; ++charset) {
            Dialect dialect;
            dialect.is_mariadb = (bits & 1) != 0;
            dialect.ansi_quotes = (bits & 2) != 0;
            dialect.no_backslash_escapes = (bits & 4) != 0;
            dialect.charset = static_cast<Charset>(charset);
            dialects.push_back(dialect);
        }
    }
    return dialects;
}

TEST(Tokenizer, TokensJoinToTheText) {
    for (const Dialect& dialect : many_dialects()) {
        for (const Row& row : all_rows()) EXPECT_EQ(joined(row.sql, dialect), row.sql);
    }
}

// Bytes that mean something, in any order, in a buffer of exactly their number.
TEST(Tokenizer, TokensOfNonsenseJoinToTheText) {
    constexpr std::string_view alphabet =
        "'\"`\\/*!+-#;@?.=<>&|:$_0123456789eExXbBnNaM \n\x81\x5c\x60\xd5\xe3\xff\x30";
    std::mt19937 random(20240501);
    std::uniform_int_distribution<std::size_t> pick(0, alphabet.size() - 1);
    const std::vector<Dialect> dialects = many_dialects();
    for (int round = 0; round < 20'000; ++round) {
        std::vector<char> text(static_cast<std::size_t>(round) % 40);
        for (char& c : text) c = alphabet[pick(random)];
        const std::string_view view(text.data(), text.size());
        const Dialect& dialect = dialects[static_cast<std::size_t>(round) % dialects.size()];
        ASSERT_EQ(joined(view, dialect), view);
    }
}

TEST(Text, DecodesStringsAndNames) {
    const auto decoded = [](std::string_view text, const Dialect& dialect) {
        const Token token = Tokenizer(text, dialect).next();
        return token.kind == TokenKind::string ? rewrite::string_of(token, dialect)
                                               : rewrite::name_of(token);
    };
    EXPECT_EQ(decoded("'a''b'", mysql), "a'b");
    EXPECT_EQ(decoded("'a\"\"b'", mysql), "a\"\"b");
    EXPECT_EQ(decoded("'\\n\\t\\r\\b\\Z\\\\\\'\\x\\%\\_'", mysql), "\n\t\r\b\x1a\\'x\\%\\_");
    EXPECT_EQ(decoded("'a\\n'", no_escapes), "a\\n");
    EXPECT_EQ(decoded("'\xd5\x5cn'", gbk), "\xd5\x5cn");
    EXPECT_EQ(decoded("N'a'", mysql), "a");
    EXPECT_EQ(decoded("`a``b`", mysql), "a`b");
    EXPECT_EQ(decoded("\"a\"\"b\"", ansi), "a\"b");
    EXPECT_EQ(decoded("abc", mysql), "abc");
}

TEST(Charset, OfCollations) {
    EXPECT_EQ(rewrite::charset_of_collation(1), Charset::big5);
    EXPECT_EQ(rewrite::charset_of_collation(84), Charset::big5);
    EXPECT_EQ(rewrite::charset_of_collation(13), Charset::sjis);
    EXPECT_EQ(rewrite::charset_of_collation(95), Charset::sjis);
    EXPECT_EQ(rewrite::charset_of_collation(28), Charset::gbk);
    EXPECT_EQ(rewrite::charset_of_collation(87), Charset::gbk);
    EXPECT_EQ(rewrite::charset_of_collation(1052), Charset::gbk);
    EXPECT_EQ(rewrite::charset_of_collation(250), Charset::gb18030);
    EXPECT_EQ(rewrite::charset_of_collation(8), Charset::ascii_safe);
    EXPECT_EQ(rewrite::charset_of_collation(33), Charset::ascii_safe);
    EXPECT_EQ(rewrite::charset_of_collation(45), Charset::ascii_safe);
    EXPECT_EQ(rewrite::charset_of_collation(255), Charset::ascii_safe);
}

}  // namespace

}  // namespace rewrite_test
