"""The servers and tables that the driver programs run against, the same before every run."""

import shutil
import subprocess

import lab
import shop

HOT, COLD = 1001, 2002
OTHER_USER, OTHER_PASSWORD = "other", "stockgate-other"

TABLES = [
    "CREATE TABLE t_types (id INT NOT NULL AUTO_INCREMENT PRIMARY KEY, c_tiny TINYINT, "
    "c_tiny_unsigned TINYINT UNSIGNED, c_small SMALLINT, c_medium MEDIUMINT, c_int INT, "
    "c_big BIGINT, c_big_unsigned BIGINT UNSIGNED, c_decimal DECIMAL(30,10), c_float FLOAT, "
    "c_double DOUBLE, c_date DATE, c_time TIME(6), c_datetime DATETIME(6), "
    "c_timestamp TIMESTAMP(3) NULL, c_year YEAR, c_char CHAR(10), c_varchar VARCHAR(200), "
    "c_binary BINARY(4), c_varbinary VARBINARY(20), c_text TEXT, c_blob BLOB, "
    "c_enum ENUM('a','ż'), c_set SET('x','y','z'), c_bit BIT(10), c_json JSON) ENGINE=InnoDB",
    "INSERT INTO t_types VALUES (1, -1, 255, -32768, -8388608, 42, 1234567890123, "
    "18446744073709551615, 12345678901234567890.0123456789, 1.5, 2.25, '2024-02-29', "
    "'-12:34:56.123456', '2024-02-29 23:59:59.999999', '2024-02-29 01:02:03.456', 2024, 'char', "
    "'zażółć gęślą 😀 日本語', X'00FF', X'000102FE', 'text\\nwith\\ttabs \\\\ and \"quotes\"', "
    "X'89504E470D0A1A0A00', 'ż', 'x,z', b'1000000001', '{\"a\": [1, null, \"ż😀\"]}')",
    "INSERT INTO t_types (id) VALUES (2)",
    "INSERT INTO t_types VALUES (3, 127, 0, 32767, 8388607, -2147483648, -9223372036854775808, 0, "
    "-0.0000000001, -1.17549e-38, 1.7976931348623157e308, '1000-01-01', '838:59:59.000000', "
    "'9999-12-31 23:59:59.999999', '2038-01-19 03:14:07.000', 1901, '', '', '', '', '', '', 'a', "
    "'', 0, '[]')",
    "CREATE TABLE t_thousand (i INT NOT NULL PRIMARY KEY) ENGINE=InnoDB",
    "INSERT INTO t_thousand SELECT a.d * 100 + b.d * 10 + c.d FROM "
    + ", ".join("(SELECT 0 d UNION ALL SELECT 1 UNION ALL SELECT 2 UNION ALL SELECT 3 UNION ALL "
                "SELECT 4 UNION ALL SELECT 5 UNION ALL SELECT 6 UNION ALL SELECT 7 UNION ALL "
                f"SELECT 8 UNION ALL SELECT 9) {name}" for name in "abc"),
    "CREATE TABLE t_order (id BIGINT NOT NULL AUTO_INCREMENT PRIMARY KEY, order_no VARCHAR(64) "
    "NOT NULL, sku_id BIGINT NOT NULL, quantity INT NOT NULL, UNIQUE KEY (order_no)) ENGINE=InnoDB",
    "CREATE TABLE t_blob (id INT NOT NULL PRIMARY KEY, body LONGBLOB) ENGINE=InnoDB",
    "CREATE TABLE t_load (id INT NOT NULL PRIMARY KEY, body VARCHAR(200)) ENGINE=InnoDB",
    "CREATE TABLE t_deferred (id INT NOT NULL PRIMARY KEY, t_date DATE, t_time TIME, "
    "t_stamp DATETIME(6), t_decimal DECIMAL(20,5), t_double DOUBLE, t_text VARCHAR(100), "
    "t_bytes VARBINARY(100)) ENGINE=InnoDB",
    "CREATE PROCEDURE p_two_results() BEGIN SELECT 1, 'one'; SELECT 2, 'two'; END",
    "CREATE PROCEDURE p_two() BEGIN SELECT 1, 'one'; SELECT 2, 'two'; END",
    "CREATE PROCEDURE p_out(IN a INT, OUT b INT, INOUT c VARCHAR(20) CHARACTER SET utf8mb4) "
    "BEGIN SET b = a * 2; SET c = CONCAT(c, '!'); SELECT a, 'row'; END",
    "CREATE PROCEDURE p_fails() BEGIN SELECT 1; SIGNAL SQLSTATE '45000' SET MESSAGE_TEXT = "
    "'procedure failed', MYSQL_ERRNO = 31001; END",
    "CREATE PROCEDURE p_signal() SIGNAL SQLSTATE '45000' SET MESSAGE_TEXT = 'żółw'",
]


def make_fresh(database):
    """Everything that a program may have changed, as new. t_stock stays: it is adopted."""
    tables = [name for name in ("t_types", "t_thousand", "t_order", "t_blob", "t_load",
                                "t_deferred", "t_scratch")]
    database.execute(
        "DROP TABLE IF EXISTS " + ", ".join(tables),
        *(f"DROP PROCEDURE IF EXISTS {name}" for name in (
            "p_two", "p_two_results", "p_out", "p_fails", "p_signal")),
        *TABLES,
        f"REPLACE INTO t_stock VALUES ({COLD}, 'item {COLD}', 1000)",
        # Empties MySQL's cache of passwords: the next login takes the long way, over RSA.
        "FLUSH PRIVILEGES",
        database=shop.SCHEMA)


def reset_rows(database):
    """As far as the statements of the byte recorder change them."""
    database.execute("DELETE FROM t_order", "ALTER TABLE t_order AUTO_INCREMENT = 1",
                     f"REPLACE INTO t_stock VALUES ({COLD}, 'item {COLD}', 1000)",
                     database=shop.SCHEMA)


def make_files(folder):
    """What LOAD DATA LOCAL sends: less than a packet, several packets, nothing, duplicate keys."""
    folder.mkdir(parents=True, exist_ok=True)
    folder.chmod(0o755)
    (folder / "small.tsv").write_text("1\tone\n2\tżółw 😀\n3\t\\N\n")
    (folder / "large.tsv").write_text(
        "".join(f"{number}\t{'row ' * 40}{number}\n" for number in range(120000)))
    (folder / "empty.tsv").write_text("")
    (folder / "bad.tsv").write_text("1\tone\n1\tagain\nnot a number\tx\n2\n")
    return folder


def make_certificate(folder, name, user=None):
    """A self-signed certificate and its key as PEM files."""
    certificate, key = folder / f"{name}-cert.pem", folder / f"{name}-key.pem"
    subprocess.run(["openssl", "req", "-x509", "-newkey", "rsa:2048", "-nodes", "-days", "30",
                    "-subj", f"/CN={name}", "-keyout", key, "-out", certificate],
                   check=True, capture_output=True)
    if user is not None:
        shutil.chown(key, user, user)
    return str(certificate), str(key)


class TlsMariaDb(lab.MariaDb):
    """MariaDB that offers TLS; MySQL makes its own certificates."""

    def _render(self):
        certificate, key = make_certificate(self.folder, "server", self.user)
        return super()._render() + f"ssl-cert = {certificate}\nssl-key = {key}\n"


def start_database(laboratory, server):
    database = laboratory.mysql9() if server == "mysql9" else \
        laboratory.start(TlsMariaDb(laboratory))
    shop.create_accounts(database)
    shop.create_tables(database, {HOT: 100, COLD: 1000})
    identified = "IDENTIFIED WITH caching_sha2_password BY" if server == "mysql9" else \
        "IDENTIFIED BY"
    database.execute(
        f"GRANT ALL ON {shop.SCHEMA}.* TO {shop.USER}@'%'",
        f"CREATE USER {OTHER_USER}@'%' {identified} '{OTHER_PASSWORD}'",
        f"GRANT ALL ON {shop.SCHEMA}.* TO {OTHER_USER}@'%'")
    database.execute("DROP TABLE t_order", database=shop.SCHEMA)
    return database


def start_proxy(laboratory, database, **sections):
    """A proxy with a hot SKU, from a copy of the binary: a rebuild meanwhile changes nothing."""
    certificate, key = make_certificate(laboratory.folder, "proxy")
    sections.setdefault("client", {
        "tls": {"mode": "optional", "certificate": certificate, "key": key}})
    proxy = laboratory.proxy(
        database, laboratory.redis(), shop.managed_tables([HOT]), **sections)
    binary = laboratory.folder / "stockgate-under-test"
    shutil.copy2(lab.proxy_binary(), binary)
    proxy.binary = binary
    shop.adopt(proxy)
    return proxy.start()
