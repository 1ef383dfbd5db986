"""Part `end`: SIGTERM. Open transactions may finish, nothing new begins, the deadline holds."""

import signal
import time

import client
import lab
import shop
import world


def run(everything):
    try_drain(everything)
    try_deadline(everything)


def begin(everything, proxy):
    link = everything.log_in(proxy.port)
    link.query("BEGIN")
    link.query("UPDATE t_stock SET stock = stock - 1 WHERE sku_id = 1001 AND stock >= 1")
    return link


def finish(link):
    if link.query("COMMIT") != ("ok", 0):
        raise ValueError("COMMIT failed")


def is_closed(link):
    link.socket.settimeout(5)
    try:
        return link.socket.recv(1) == b""
    except client.LOST:
        return True


def try_drain(everything):
    path = everything.laboratory.folder / "d"
    tables = shop.managed_tables([1001, 1002])
    with everything.proxy(tables, listen=[f"unix:{path}"], limits={
            "drain_timeout_ms": 20000}) as proxy:
        idle, working = everything.log_in(proxy.port), begin(everything, proxy)
        greeted = client.Client(proxy.port)
        greeted.read_greeting()
        sold = sold_units(everything)
        proxy.signal(signal.SIGTERM)
        everything.check("an idle session ends", is_closed(idle), "is open")
        everything.check("one that has not logged in ends", is_closed(greeted), "is open")
        everything.refused("a new one", "lost", lambda: everything.log_in(proxy.port))
        everything.check("the unix socket", not path.exists(), "is there")
        everything.equal("the transaction goes on", working.query(
            "UPDATE t_stock SET stock = stock - 2 WHERE sku_id = 1001 AND stock >= 2"), ("ok", 1))
        seen, text = world.outcome(lambda: finish(working))
        everything.equal(f"and commits ({text})", seen, "ok")
        everything.check("then it ends", is_closed(working), "is open")
        everything.equal("exit code", proxy.wait(10), 0)
        everything.equal("sold", sold_units(everything) - sold, 3)


def sold_units(everything):
    return int(everything.database.execute(
        "SELECT SUM(sold_stock) FROM inventory_bucket WHERE sku_id LIKE '%:1001'",
        database=shop.SCHEMA)[0][0])


def try_deadline(everything):
    tables = shop.managed_tables([1001, 1002])
    with everything.proxy(tables, limits={"drain_timeout_ms": 1000}) as proxy:
        stuck = begin(everything, proxy)
        sold = sold_units(everything)
        begun = time.monotonic()
        proxy.signal(signal.SIGTERM)
        everything.equal("exit code at the deadline", proxy.wait(10), 0)
        seconds = time.monotonic() - begun
        everything.check("deadline", 0.9 <= seconds <= 5, f"{seconds:.1f} s")
        everything.check("the transaction is lost", is_closed(stuck), "is open")
        lab.wait_until(lambda: sold_units(everything) == sold, 10, "the rollback")
        everything.check("log", "event=drain_deadline sessions=1" in proxy.log.read_text(),
                         proxy.tail(5))
