"""The command line clients. Arguments: mariadb|mysql [chroot] -- host port user password schema."""

import re
import subprocess
import sys
import time

import observe
from observe import FILES, MODE

cut = sys.argv.index("--")
NAME, PREFIX = sys.argv[1], sys.argv[2:cut]
HOST, PORT, USER, PASSWORD, SCHEMA = sys.argv[cut + 1:cut + 6]


def command(*options, user=USER, password=PASSWORD, schema=SCHEMA):
    words = [*PREFIX, NAME, "--no-defaults", "-h", HOST, "-P", PORT, "--protocol=tcp", "-u", user,
             f"-p{password}", "--default-character-set=utf8mb4", "--local-infile=1"]
    if NAME == "mysql":
        words += ["--ssl-mode=" + ("REQUIRED" if MODE == "tls" else "DISABLED"),
                  "--get-server-public-key", "--commands"]
    else:
        words += ["--ssl" if MODE == "tls" else "--skip-ssl"]
    if MODE == "compress":
        words += ["--compress"]
    return [*words, *options, schema]


def run(sql, *options, **login):
    result = subprocess.run(command(*options, **login), input=sql.encode(), capture_output=True,
                            timeout=120)
    errors = result.stderr.decode(errors="backslashreplace")
    errors = re.sub(r"(mysql|mariadb): \[Warning\] Using a password.*\n", "", errors)
    return result.returncode, result.stdout, errors


def text(sql, *options, **login):
    code, output, errors = run(sql, *options, **login)
    output = re.sub(r" \(\d+[.:].*sec\)", "", output.decode(errors="backslashreplace"))
    return code, output, errors


def check_connect():
    yield "banner", text("SELECT 1;", "-vvv")
    # Which cipher is a matter between this client and whoever ends its TLS.
    status = text("\\s\n" if NAME == "mysql" else "status\n")
    yield "status", ([re.sub("Cipher in use is .*", "Cipher in use", line)
                      for line in status[1].splitlines() if not re.match(
        r"(Connection id|Connection|TCP port|Uptime|Threads):", line)], status[2])
    yield "same id", text("SELECT id = CONNECTION_ID() FROM information_schema.processlist "
                          "WHERE info LIKE '%same%' AND 'same' = 'same';", "-N")
    for name, login in {"password": {"password": "wrong"}, "user": {"user": "nobody"},
                        "schema": {"schema": "nowhere"}}.items():
        yield f"wrong {name}", text("SELECT 1;", **login)


def check_statements():
    """All of them in one session and in several forms of output, cut at the marks in between."""
    sql = "".join(f"SELECT '##{number:03}';\n{line}\n;\n"
                  for number, line in enumerate(observe.statements())
                  if not line.startswith("/* only"))
    for name, options in {"table": ("-t", "-vvv"), "xml": ("-X",), "raw": ("-r", "-N"),
                          "types": ("--column-type-info", "-vvv"),
                          "unbuffered": ("-q", "-v", "--show-warnings")}.items():
        run("DELETE FROM t_order; ALTER TABLE t_order AUTO_INCREMENT = 1; "
            "UPDATE t_stock SET stock = 1000, title = 'item' WHERE sku_id = 2002;")
        code, output, errors = text(sql, "-f", *options)
        yield f"{name}, code", code
        for number, line in enumerate(errors.splitlines()):
            yield f"{name}, error {number:03}", line
        parts = re.split(r"##(\d{3})", output)
        chunks = {"start": parts[0]}
        for number, chunk in zip(parts[1::2], parts[2::2]):
            chunks[number] = chunks.get(number, "") + chunk
        for number, chunk in chunks.items():
            yield f"{name} {number}", chunk


def check_stop_at_error():
    yield "stops", text("SELECT 1; SELECT * FROM nowhere; SELECT 2;")


def check_delimiter():
    yield "call", text("CALL p_two(); CALL p_out(21, @b, @c); SELECT @b, @c; CALL p_fails();", "-f")
    yield "several", text("DELIMITER //\nSELECT 1; SELECT 2, 'b'; DO 1//\n", "-vvv")
    yield "fails", text("DELIMITER //\nSELECT 1; SELECT * FROM nowhere; SELECT 3//\nSELECT 4//\n",
                        "-f")
    yield "make", text("DELIMITER //\nCREATE PROCEDURE p_new() BEGIN SELECT 8; SELECT 9; END//\n"
                       "CALL p_new()//\nDROP PROCEDURE p_new//\n")


def check_big():
    code, output, errors = run("SELECT REPEAT('z', 20000000);", "-N", "-r",
                               "--max-allowed-packet=64M")
    yield "read", (code, observe.digest(output), errors)
    sql = "INSERT INTO t_blob VALUES (1, '" + "w" * 20000000 + "');"
    yield "write", text(sql, "--max-allowed-packet=64M", "-vvv")[2]
    yield "arrived", text("SELECT LENGTH(body), SHA2(body, 256) FROM t_blob WHERE id = 1;")
    for name, options in {"stored": (), "quick": ("-q",)}.items():
        code, output, errors = run(observe.STREAM + ";", *options)
        yield f"stream, {name}", (code, observe.digest(output), errors)


def check_load():
    for name in ("small", "large", "empty", "missing", "bad"):
        yield name, text(f"LOAD DATA LOCAL INFILE '{FILES}/{name}.tsv' INTO TABLE t_load "
                         "(id, body); SHOW WARNINGS LIMIT 5;", "-vvv")
        yield f"{name}, loaded", text(
            "SELECT COUNT(*), SHA2(GROUP_CONCAT(id, body ORDER BY id), 256) FROM t_load; "
            "DELETE FROM t_load;")


def check_kill():
    child = subprocess.Popen(command("-f", "-N"), stdin=subprocess.PIPE, stdout=subprocess.PIPE,
                             stderr=subprocess.PIPE)
    child.stdin.write(b"SELECT SLEEP(20);\nSELECT 6;\n")
    child.stdin.close()
    look = ("SELECT id FROM information_schema.processlist WHERE user = 'shop' AND "
            "info LIKE 'SELECT SLEEP(20)%'")
    for _ in range(300):
        found = text(look, "-N")[1].split()
        if found:
            break
        time.sleep(0.05)
    yield "found", len(found)
    yield "killed", text("KILL QUERY " + found[0])
    errors = re.sub(r"\[Warning\].*\n", "", child.stderr.read().decode())
    yield "answer", (child.wait(20), child.stdout.read().decode(), errors)


def check_reconnect():
    yield "killed", text("KILL CONNECTION_ID();\nSELECT 5;\n", "-f", "--skip-reconnect")
    code, output, errors = text("KILL CONNECTION_ID();\nSELECT 5;\n", "-f", "--reconnect", "-N")
    yield "again", (code, output, re.sub(r"id: +\d+", "id: N", errors))
    yield "reset", text("SET @a = 1;\nresetconnection\nSELECT @a;\n") if NAME == "mysql" else None


observe.run([check_connect, check_statements, check_stop_at_error, check_delimiter, check_big,
             check_load, check_kill, check_reconnect])
