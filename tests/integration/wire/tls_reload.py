"""Part `reload`: certificates are replaced and SIGHUP is sent, while sessions go on."""

import shutil
import signal

import client
import world
from cryptography import x509
from cryptography.hazmat.primitives import hashes


def shown(link):
    """The fingerprint of the certificate that the client was shown."""
    certificate = x509.load_der_x509_certificate(link.tls.getpeercert(binary_form=True))
    return certificate.fingerprint(hashes.SHA256())


def replace(issued, by):
    shutil.copy(by.path, issued.path)
    shutil.copy(by.key, issued.key)


def run(everything):
    authority = everything.authority
    used = authority.issue("replaced")
    first, second = authority.issue("first"), authority.issue("second")
    replace(used, first)
    section = {"mode": "required", "certificate": str(used.path), "key": str(used.key)}
    with everything.proxy(client={"tls": section}) as proxy:
        def log_in():
            return everything.log_in(proxy.port, context=client.tls())

        old = log_in()
        everything.equal("before", shown(old), first.fingerprint())
        replace(used, second)
        with log_in() as link:
            everything.equal("replaced, no signal yet", shown(link), first.fingerprint())
        proxy.signal(signal.SIGHUP)
        world.wait_for_log(proxy, "event=certificates_reloaded")
        with log_in() as new:
            everything.equal("after SIGHUP", shown(new), second.fingerprint())
            everything.equal("the new session", new.value("SELECT 1"), "1")
        everything.equal("the old session goes on", old.value("SELECT REPEAT('x', 100000)"),
                         "x" * 100000)
        try_broken(everything, proxy, used, first, second, log_in)
        everything.equal("the old session to the end", old.value("SELECT 2"), "2")
        replace(used, first)
        proxy.signal(signal.SIGHUP)
        world.wait_for_log(proxy, "event=certificates_reloaded", 2)
        with log_in() as link:
            everything.equal("after another SIGHUP", shown(link), first.fingerprint())
        old.close()


def try_broken(everything, proxy, used, first, second, log_in):
    def half():
        used.path.write_bytes(used.path.read_bytes()[:200])

    broken = {"half a file": half, "no file": used.path.unlink,
              "the key of another": lambda: shutil.copy(first.key, used.key)}
    for number, (name, spoil) in enumerate(broken.items(), 1):
        replace(used, second)
        spoil()
        proxy.signal(signal.SIGHUP)
        world.wait_for_log(proxy, "event=tls_unusable key=client.tls", number)
        everything.check(f"{name}: still running", proxy.is_alive(), "ended")
        with log_in() as link:
            everything.equal(f"{name}: the former certificate", shown(link), second.fingerprint())
