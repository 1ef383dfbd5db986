"""A certificate that signs itself, for every end of every TLS connection of the benchmark."""

import datetime
import ipaddress
import os
import shutil

import lab
from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import rsa

_BITS = 2048


def _sign(key):
    name = x509.Name([x509.NameAttribute(x509.NameOID.COMMON_NAME, "stockgate-bench")])
    now = datetime.datetime.now(datetime.timezone.utc)
    address = x509.IPAddress(ipaddress.ip_address(lab.LOOPBACK))
    return (x509.CertificateBuilder()
            .subject_name(name).issuer_name(name).public_key(key.public_key())
            .serial_number(x509.random_serial_number())
            .not_valid_before(now - datetime.timedelta(days=1))
            .not_valid_after(now + datetime.timedelta(days=7))
            .add_extension(x509.BasicConstraints(ca=True, path_length=None), critical=True)
            .add_extension(x509.SubjectAlternativeName([address]), critical=False)
            .sign(key, hashes.SHA256()))


class Certificate:
    """PEM files: `path`, `key`, and `both` in one as HAProxy wants it."""

    def __init__(self, folder, user=None):
        self.path = folder / "certificate.pem"
        self.key = folder / "key.pem"
        self.both = folder / "both.pem"
        key = rsa.generate_private_key(public_exponent=65537, key_size=_BITS)
        key_text = key.private_bytes(
            serialization.Encoding.PEM, serialization.PrivateFormat.TraditionalOpenSSL,
            serialization.NoEncryption())
        text = _sign(key).public_bytes(serialization.Encoding.PEM)
        for path, content in ((self.path, text), (self.key, key_text),
                              (self.both, text + key_text)):
            path.touch(mode=0o600)
            path.write_bytes(content)
            if user is not None:
                shutil.chown(path, user, user)

    def folder_for_sysbench(self, folder):
        """sysbench takes three names from its working folder, and no others."""
        folder.mkdir(exist_ok=True)
        for name, source in (("cacert.pem", self.path), ("client-cert.pem", self.path),
                             ("client-key.pem", self.key)):
            shutil.copy(source, folder / name)
            os.chmod(folder / name, 0o600)
        return folder
