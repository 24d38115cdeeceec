import { createPrivateKey, X509Certificate } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { connect, type Socket } from 'node:net';
import { checkServerIdentity, type PeerCertificate } from 'node:tls';
import { oneOf, optional, SettingsError, type Setting } from '@gw/kernel';

const BUNDLE = 'MANAGED_BUNDLE';
const MODES = ['DISABLED', 'PREFERRED', 'REQUIRED', 'VERIFY_CA', 'VERIFY_IDENTITY', BUNDLE] as const;

/** A setting with a PEM text, or the path of a file that contains it. */
const pem = (what: 'CERTIFICATE' | 'PRIVATE KEY'): Setting<string> => ({
  fallback: undefined,
  parse: (value) => {
    const text = value.includes('-----BEGIN ') ? value.replaceAll('\\n', '\n') : readPem(value, what);
    try {
      if (what === 'CERTIFICATE') new X509Certificate(text);
      else createPrivateKey(text);
    } catch {
      throw new Error(`must hold a ${what.toLowerCase()} in PEM`);
    }
    return text;
  },
});

function readPem(path: string, what: string): string {
  try {
    return readFileSync(path, 'utf8');
  } catch {
    throw new Error(`must be a ${what.toLowerCase()} in PEM, or the path of a file that can be read`);
  }
}

/** Settings of every process that connects to the database. */
export const DATABASE_TLS_SETTINGS = {
  /**
   * DISABLED: use the options of DATABASE_URL. PREFERRED: TLS if the server offers it. REQUIRED:
   * TLS with any certificate. VERIFY_CA: with a certificate of a trusted authority.
   * VERIFY_IDENTITY: also for the host. MANAGED_BUNDLE: like VERIFY_IDENTITY, with the certificate
   * bundle of the managed database's vendor in DB_SSL_CA.
   */
  DB_SSL: oneOf(MODES, 'DISABLED'),
  DB_SSL_CA: optional(pem('CERTIFICATE')),
  DB_SSL_CERT: optional(pem('CERTIFICATE')),
  DB_SSL_KEY: optional(pem('PRIVATE KEY')),
};

export interface DatabaseTlsSettings {
  readonly DB_SSL: (typeof MODES)[number];
  readonly DB_SSL_CA: string | null;
  readonly DB_SSL_CERT: string | null;
  readonly DB_SSL_KEY: string | null;
}

/** The `ssl` option of the Postgres driver; undefined to use the URL's. */
export type DatabaseTls =
  | false
  | {
      readonly rejectUnauthorized: boolean;
      readonly ca?: string;
      readonly cert?: string;
      readonly key?: string;
      readonly checkServerIdentity?: (name: string, certificate: PeerCertificate) => Error | undefined;
    }
  | undefined;

/**
 * Returns the TLS options for the database of `url`. With PREFERRED it probes the server once, so a
 * server that gains TLS later is used with TLS after a restart. Throws `SettingsError` for settings
 * that contradict each other.
 */
export async function databaseTls(url: string, settings: DatabaseTlsSettings): Promise<DatabaseTls> {
  assertComplete(settings);
  const certificates = certificatesOf(settings);
  switch (settings.DB_SSL) {
    case 'DISABLED':
      return undefined;
    case 'PREFERRED':
      return (await hasTls(new URL(url))) ? { rejectUnauthorized: false, ...certificates } : false;
    case 'REQUIRED':
      return { rejectUnauthorized: false, ...certificates };
    case 'VERIFY_CA':
      return { rejectUnauthorized: true, ...certificates, checkServerIdentity: () => undefined };
    case 'VERIFY_IDENTITY':
    case BUNDLE: {
      // For an address, the driver passes no host name to TLS, which would then check the
      // certificate for `localhost`.
      const host = hostOf(new URL(url));
      return {
        rejectUnauthorized: true,
        ...certificates,
        checkServerIdentity: (_name, certificate) => checkServerIdentity(host, certificate),
      };
    }
  }
}

function assertComplete({ DB_SSL, DB_SSL_CA, DB_SSL_CERT, DB_SSL_KEY }: DatabaseTlsSettings): void {
  if ((DB_SSL_CERT === null) !== (DB_SSL_KEY === null)) {
    const name = DB_SSL_CERT === null ? 'DB_SSL_CERT' : 'DB_SSL_KEY';
    throw new SettingsError([{ name, rule: 'is required with the other half of the pair' }]);
  }
  if (DB_SSL === BUNDLE && DB_SSL_CA === null) {
    throw new SettingsError([{ name: 'DB_SSL_CA', rule: `is required with DB_SSL=${BUNDLE}` }]);
  }
}

const certificatesOf = ({ DB_SSL_CA: ca, DB_SSL_CERT: cert, DB_SSL_KEY: key }: DatabaseTlsSettings) => ({
  ...(ca === null ? {} : { ca }),
  ...(cert === null || key === null ? {} : { cert, key }),
});

/** Returns the host without the brackets of an IPv6 address. */
const hostOf = ({ hostname }: URL): string => hostname.replace(/^\[|\]$/g, '');

/** SSLRequest message of the Postgres protocol: its length and its code. */
const SSL_REQUEST = Buffer.from([0, 0, 0, 8, 0x04, 0xd2, 0x16, 0x2f]);
const PROBE_TIMEOUT_MS = 5_000;

/**
 * Returns whether the server offers TLS. Also true for an unreachable server: the connection then
 * reports the error.
 */
function hasTls(url: URL): Promise<boolean> {
  return new Promise((resolve) => {
    const socket: Socket = connect({
      host: hostOf(url),
      port: url.port === '' ? 5432 : Number(url.port),
      timeout: PROBE_TIMEOUT_MS,
    });
    const settle = (offers: boolean): void => {
      socket.destroy();
      resolve(offers);
    };
    socket.once('connect', () => socket.write(SSL_REQUEST));
    socket.once('data', (response) => {
      settle(response.toString('latin1', 0, 1) === 'S');
    });
    socket.once('error', () => {
      settle(true);
    });
    socket.once('timeout', () => {
      settle(true);
    });
    socket.once('close', () => {
      settle(true);
    });
  });
}
