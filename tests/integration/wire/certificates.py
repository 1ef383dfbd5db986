"""Certificates for both legs: an authority, what it signs, and another one that nobody trusts."""

import datetime
import ipaddress
import shutil

from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec

_DAYS = 7


class Issued:
    """PEM files of one certificate and its key."""

    def __init__(self, folder, name):
        self.path = folder / f"{name}.pem"
        self.key = folder / f"{name}.key"

    def fingerprint(self):
        certificate = x509.load_pem_x509_certificate(self.path.read_bytes())
        return certificate.fingerprint(hashes.SHA256())


class Authority:
    """Signs certificates; `path` is its own."""

    def __init__(self, folder, name):
        folder.mkdir(parents=True, exist_ok=True)
        self._folder = folder
        self._key = ec.generate_private_key(ec.SECP256R1())
        self._name = x509.Name([x509.NameAttribute(x509.NameOID.COMMON_NAME, name)])
        certificate = self._build(self._name, self._key, [], is_authority=True)
        self.path = folder / f"{name}.pem"
        self.path.write_bytes(certificate.public_bytes(serialization.Encoding.PEM))

    def issue(self, name, addresses=(), hosts=(), owner=None, folder=None):
        """A certificate for these IP addresses and host names, readable by its owner only."""
        names = [x509.IPAddress(ipaddress.ip_address(address)) for address in addresses]
        names += [x509.DNSName(host) for host in hosts]
        key = ec.generate_private_key(ec.SECP256R1())
        subject = x509.Name([x509.NameAttribute(x509.NameOID.COMMON_NAME, name)])
        certificate = self._build(subject, key, names, is_authority=False)
        issued = Issued(folder or self._folder, name)
        key_text = key.private_bytes(
            serialization.Encoding.PEM, serialization.PrivateFormat.PKCS8,
            serialization.NoEncryption())
        text = certificate.public_bytes(serialization.Encoding.PEM)
        for path, content in ((issued.path, text), (issued.key, key_text)):
            path.touch(mode=0o600)
            path.write_bytes(content)
            if owner is not None:
                shutil.chown(path, owner, owner)
        return issued

    def _build(self, subject, key, names, is_authority):
        now = datetime.datetime.now(datetime.timezone.utc)
        builder = (x509.CertificateBuilder()
                   .subject_name(subject).issuer_name(self._name).public_key(key.public_key())
                   .serial_number(x509.random_serial_number())
                   .not_valid_before(now - datetime.timedelta(days=1))
                   .not_valid_after(now + datetime.timedelta(days=_DAYS))
                   .add_extension(x509.BasicConstraints(is_authority, None), critical=True))
        if names:
            builder = builder.add_extension(x509.SubjectAlternativeName(names), critical=False)
        return builder.sign(self._key, hashes.SHA256())
