import { EmbeddedPostgres } from '@gw/embedded-postgres';
import { spawnSync } from 'node:child_process';
import {
  chmodSync,
  chownSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/**
 * Certificates of a private authority: for the server, valid only for `localhost`, and for a
 * client.
 */
interface Certificates {
  readonly ca: string;
  readonly otherCa: string;
  readonly clientCert: string;
  readonly clientKey: string;
}

/**
 * Runs a Postgres server with TLS. Needs `openssl` on the PATH. Create it at the top of a
 * `describe`.
 */
export class TlsPostgres {
  private readonly folder = mkdtempSync(join(tmpdir(), 'tollgate-tls-'));
  private server: EmbeddedPostgres | undefined;
  private plain: EmbeddedPostgres | undefined;
  private made: Certificates | undefined;

  constructor() {
    beforeAll(() => this.start());
    afterAll(async () => {
      await this.server?.stop();
      await this.plain?.stop();
      rmSync(this.folder, { recursive: true, force: true });
    });
  }

  /** URL with the address `127.0.0.1`, which the certificate does not contain. */
  get url(): string {
    return this.server?.url ?? '';
  }

  get urlByName(): string {
    return this.url.replace('127.0.0.1', 'localhost');
  }

  /** URL of a server without TLS. */
  get plainUrl(): string {
    return this.plain?.url ?? '';
  }

  get certificates(): Certificates {
    if (!this.made) throw new Error('The certificates are available from beforeAll on.');
    return this.made;
  }

  private async start(): Promise<void> {
    chmodSync(this.folder, 0o711);
    this.plain = this.postgres('plain', {});
    await this.plain.start();
    const home = join(this.folder, 'plain');
    const { uid, gid } = statSync(join(home, 'data'));
    this.made = this.makeCertificates();
    // The server only reads a key file that it owns and no other user can read.
    const keys = join(this.folder, 'keys');
    mkdirSync(keys, { mode: 0o700 });
    chownSync(keys, uid, gid);
    for (const name of ['server.crt', 'server.key', 'ca.crt']) {
      const path = join(keys, name);
      writeFileSync(path, this.read(name), { mode: 0o600 });
      chownSync(path, uid, gid);
    }
    this.server = this.postgres('tls', {
      ssl: 'on',
      ssl_cert_file: join(keys, 'server.crt'),
      ssl_key_file: join(keys, 'server.key'),
      ssl_ca_file: join(keys, 'ca.crt'),
    });
    await this.server.start();
  }

  private postgres(name: string, settings: Readonly<Record<string, string>>): EmbeddedPostgres {
    return new EmbeddedPostgres({
      home: join(this.folder, name),
      password: 'postgres-of-the-tls-tests',
      logFile: join(this.folder, `${name}.log`),
      settings: { fsync: 'off', ...settings },
    });
  }

  private makeCertificates(): Certificates {
    for (const name of ['ca', 'other']) {
      this.openssl('req', '-x509', ...this.fresh(name), '-days', '2', '-subj', `/CN=${name}`);
    }
    this.sign('server', 'subjectAltName=DNS:localhost');
    this.sign('client', 'extendedKeyUsage=clientAuth');
    return {
      ca: this.read('ca.crt'),
      otherCa: this.read('other.crt'),
      clientCert: this.read('client.crt'),
      clientKey: this.read('client.key'),
    };
  }

  private sign(name: string, extension: string): void {
    const extensions = join(this.folder, `${name}.ext`);
    writeFileSync(extensions, extension);
    const request = ['-keyout', this.at(`${name}.key`), '-out', this.at(`${name}.csr`)];
    this.openssl('req', '-new', '-newkey', 'rsa:2048', '-nodes', ...request, '-subj', `/CN=${name}`);
    this.openssl(
      ...[
        'x509',
        '-req',
        '-in',
        this.at(`${name}.csr`),
        '-CA',
        this.at('ca.crt'),
        '-CAkey',
        this.at('ca.key'),
      ],
      ...['-CAcreateserial', '-days', '2', '-extfile', extensions, '-out', this.at(`${name}.crt`)],
    );
  }

  private fresh(name: string): string[] {
    return [
      '-newkey',
      'rsa:2048',
      '-nodes',
      '-keyout',
      this.at(`${name}.key`),
      '-out',
      this.at(`${name}.crt`),
    ];
  }

  private openssl(...args: string[]): void {
    const { status, stderr } = spawnSync('openssl', args, { encoding: 'utf8' });
    if (status !== 0) throw new Error(`openssl failed: ${stderr}`);
  }

  private at(name: string): string {
    return join(this.folder, name);
  }

  private read(name: string): string {
    return readFileSync(this.at(name), 'utf8');
  }
}
