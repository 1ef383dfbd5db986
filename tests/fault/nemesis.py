"""The faults, and the world they happen to. Every fault leaves the world in a state that heal()
brings back to normal; what the product itself must repair is not repaired here."""

import contextlib
import signal
import time

import pymysql

import lab
import shop

PAUSE_SECONDS = (0.2, 1.5)  # between two faults


class World:
    def __init__(self, laboratory, database, redis, proxy):
        self.laboratory = laboratory
        self.database = database
        self.redis = redis
        self.proxy = proxy

    def heal(self):
        if self.redis is not None:
            self.redis.signal(signal.SIGCONT)
            if not self.redis.is_alive():
                self.redis.start()
        if not self.database.is_alive():
            self.database.start()
        if not self.proxy.is_alive():
            self.proxy.start()


def kill_proxy(world, _generator):
    """kill -9 and a new start, as a supervisor does it."""
    world.proxy.kill9()
    world.proxy.start()


def stop_proxy(world, _generator):
    """An orderly restart in the middle of the sale."""
    world.proxy.stop()
    world.proxy.start()


def kill_redis(world, generator):
    """kill -9; comes back empty after a while."""
    world.redis.kill9()
    time.sleep(generator.uniform(0.0, 2.0))
    world.redis.start()


def freeze_redis(world, generator):
    """Redis hangs for a second: calls that were sent may run much later."""
    world.redis.signal(signal.SIGSTOP)
    time.sleep(generator.uniform(0.3, 1.5))
    world.redis.signal(signal.SIGCONT)


def flush_redis(world, _generator):
    world.redis.command("FLUSHALL")


def delete_key(world, generator):
    """One bucket's key is gone: missing must not be taken for zero."""
    keys = sorted(world.redis.command("KEYS", "*"))
    if keys:
        world.redis.command("DEL", generator.choice(keys))


def kill_connections(world, generator):
    """KILL CONNECTION of some of the application's server threads."""
    threads = [row[0] for row in world.database.execute(
        "SELECT id FROM information_schema.processlist "
        f"WHERE user = '{shop.USER}' ORDER BY id")]
    for thread in generator.sample(threads, min(len(threads), generator.randrange(1, 8))):
        with contextlib.suppress(pymysql.MySQLError):  # it may be gone already
            world.database.execute(f"KILL CONNECTION {thread}")


def kill_queries(world, generator):
    """KILL QUERY: the statement fails, the transaction stays."""
    threads = [row[0] for row in world.database.execute(
        "SELECT id FROM information_schema.processlist "
        f"WHERE user = '{shop.USER}' ORDER BY id")]
    for thread in generator.sample(threads, min(len(threads), generator.randrange(1, 12))):
        with contextlib.suppress(pymysql.MySQLError):
            world.database.execute(f"KILL QUERY {thread}")


def kill_ledger_connections(world, _generator):
    """The proxy loses the connections of its own account."""
    for row in world.database.execute(
            "SELECT id FROM information_schema.processlist "
            f"WHERE user = '{shop.LEDGER_USER}'"):
        with contextlib.suppress(pymysql.MySQLError):
            world.database.execute(f"KILL CONNECTION {row[0]}")


def kill_database(world, _generator):
    """kill -9 of MariaDB and a new start with crash recovery."""
    world.database.kill9()
    world.database.start()


FAULTS = {
    "kill-proxy": (kill_proxy, 3),
    "stop-proxy": (stop_proxy, 1),
    "kill-redis": (kill_redis, 3),
    "freeze-redis": (freeze_redis, 2),
    "flush-redis": (flush_redis, 2),
    "delete-key": (delete_key, 3),
    "kill-connections": (kill_connections, 4),
    "kill-queries": (kill_queries, 2),
    "kill-ledger-connections": (kill_ledger_connections, 1),
    "kill-database": (kill_database, 1),
}
NEEDS_REDIS = {"kill-redis", "freeze-redis", "flush-redis", "delete-key"}


def torment(world, generator, seconds, only=()):
    """Lets faults happen until the time is over. Returns their names in order."""
    names = [name for name in FAULTS
             if (not only or name in only) and (world.redis or name not in NEEDS_REDIS)]
    weights = [FAULTS[name][1] for name in names]
    deadline = time.monotonic() + seconds
    happened = []
    while names:
        time.sleep(generator.uniform(*PAUSE_SECONDS))
        if time.monotonic() > deadline:
            break
        name = generator.choices(names, weights)[0]
        happened.append(name)
        try:
            FAULTS[name][0](world, generator)
        except lab.LabError as error:
            # A server that does not come back is a finding, not an accident of the test.
            raise lab.LabError(f"after {', '.join(happened)}: {error}") from error
    return happened
