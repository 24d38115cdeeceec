import { X509Certificate } from 'node:crypto';

const RSA_MIN = 2_048;
const CURVES = ['prime256v1', 'secp384r1', 'secp521r1'];

/** A certificate with whose key an identity provider signs. */
export interface SamlCertificate {
  readonly pem: string;
  readonly fingerprint: string;
  readonly validFrom: string;
  readonly validUntil: string;
}

/**
 * Reads a certificate from PEM or from the base64 of metadata. Throws an `Error` when it cannot be
 * used for logins.
 */
export function readCertificate(text: string): SamlCertificate {
  const base64 = text.replace(/-----(?:BEGIN|END) CERTIFICATE-----/g, '').replace(/\s/g, '');
  if (base64 === '' || base64.length > 20_000 || !/^[A-Za-z0-9+/]+={0,2}$/.test(base64)) {
    throw new Error('a certificate must be one PEM or base64 text');
  }
  const certificate = parsed(base64);
  const { publicKey } = certificate;
  const { modulusLength = 0, namedCurve = '' } = publicKey.asymmetricKeyDetails ?? {};
  const isStrong =
    publicKey.asymmetricKeyType === 'rsa' ? modulusLength >= RSA_MIN : CURVES.includes(namedCurve);
  if (!isStrong)
    throw new Error(`its key must be RSA of ${String(RSA_MIN)} bits or more, or on P-256, P-384 or P-521`);
  return {
    pem: `-----BEGIN CERTIFICATE-----\n${(base64.match(/.{1,64}/g) ?? []).join('\n')}\n-----END CERTIFICATE-----\n`,
    fingerprint: certificate.fingerprint256,
    validFrom: certificate.validFromDate.toISOString(),
    validUntil: certificate.validToDate.toISOString(),
  };
}

function parsed(base64: string): X509Certificate {
  try {
    return new X509Certificate(Buffer.from(base64, 'base64'));
  } catch {
    throw new Error('a certificate must be an X.509 certificate');
  }
}
