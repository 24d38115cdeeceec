import { execFileSync } from 'node:child_process';
import { createHash, generateKeyPairSync, randomBytes, sign, type KeyObject } from 'node:crypto';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/** Origin of the installation in the tests. */
export const ORIGIN = 'https://gateway.example.com';
const RP_ID = 'gateway.example.com';
/** Flags of authenticator data: the user is present and verified, and a credential is attested. */
export const [PRESENT, VERIFIED, ATTESTED] = [0x01, 0x04, 0x40];

/** The options of a ceremony that a device reads. */
export interface CeremonyOptions {
  readonly challenge: string;
  readonly rpId?: string;
  readonly user?: { readonly id: string };
  readonly allowCredentials?: readonly { readonly id: string }[];
}

/** What a device does differently from an honest one. */
export interface DeviceChanges {
  readonly origin?: string;
  readonly rpId?: string;
  readonly flags?: number;
  readonly counter?: number;
  readonly format?: string;
  /**
   * Sends a `packed` attestation: signed with the passkey itself, with another key, or with the key
   * of a certificate that it contains.
   */
  readonly packed?: 'self' | 'forged' | 'certificate';
}

const sha256 = (data: string | Buffer): Buffer => createHash('sha256').update(data).digest();
const cborText = (text: string): Buffer =>
  Buffer.concat([Buffer.from([0x60 + text.length]), Buffer.from(text)]);

const cborBytes = (bytes: Buffer): Buffer =>
  Buffer.concat([
    bytes.length < 256
      ? Buffer.from([0x58, bytes.length])
      : Buffer.from([0x59, bytes.length >> 8, bytes.length & 255]),
    bytes,
  ]);

/** Makes a certificate as WebAuthn requires it for a `packed` attestation, and its key. */
function attestationCertificate(): { readonly key: Buffer; readonly certificate: Buffer } {
  const folder = mkdtempSync(join(tmpdir(), 'tollgate-attestation-'));
  const [key, certificate] = [join(folder, 'key'), join(folder, 'certificate')];
  const subject = '/C=DE/O=Maker/OU=Authenticator Attestation/CN=Key';
  execFileSync(
    'openssl',
    [
      ...['req', '-x509', '-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:P-256', '-nodes', '-days', '1'],
      ...['-subj', subject, '-addext', 'basicConstraints=critical,CA:FALSE'],
      ...['-keyout', key, '-outform', 'DER', '-out', certificate],
    ],
    { stdio: 'ignore' },
  );
  const made = { key: readFileSync(key), certificate: readFileSync(certificate) };
  rmSync(folder, { recursive: true });
  return made;
}

/** A software authenticator with one ES256 key. */
export class Authenticator {
  private readonly keys = generateKeyPairSync('ec', { namedCurve: 'P-256' });
  private readonly id = randomBytes(32);
  private handle = '';
  private count = 0;

  create({ challenge, user }: CeremonyOptions, changes: DeviceChanges = {}): object {
    this.handle = user?.id ?? '';
    const { x = '', y = '' } = this.keys.publicKey.export({ format: 'jwk' });
    const cose = Buffer.concat([
      Buffer.from('a5010203262001215820', 'hex'),
      Buffer.from(x, 'base64url'),
      Buffer.from('225820', 'hex'),
      Buffer.from(y, 'base64url'),
    ]);
    const length = Buffer.from([0, this.id.length]);
    const attested = Buffer.concat([Buffer.alloc(16), length, this.id, cose]);
    const data = this.data({ flags: PRESENT | VERIFIED | ATTESTED, ...changes }, attested);
    const client = clientData('webauthn.create', challenge, changes);
    const { packed, format = packed === undefined ? 'none' : 'packed' } = changes;
    const attestationObject = Buffer.concat([
      Buffer.from([0xa3]),
      ...['fmt', format, 'attStmt'].map(cborText),
      packed === undefined ? Buffer.from([0xa0]) : this.statement(packed, [data, sha256(client)]),
      cborText('authData'),
      cborBytes(data),
    ]);
    return this.credential({
      clientDataJSON: client.toString('base64url'),
      attestationObject: attestationObject.toString('base64url'),
    });
  }

  get({ challenge }: CeremonyOptions, changes: DeviceChanges = {}): object {
    this.count += 1;
    const data = this.data({ flags: PRESENT | VERIFIED, counter: this.count, ...changes });
    const client = clientData('webauthn.get', challenge, changes);
    const signature = sign('sha256', Buffer.concat([data, sha256(client)]), this.keys.privateKey);
    return this.credential({
      clientDataJSON: client.toString('base64url'),
      authenticatorData: data.toString('base64url'),
      signature: signature.toString('base64url'),
      userHandle: this.handle,
    });
  }

  /** Returns the attestation statement of a `packed` attestation. */
  private statement(packed: 'self' | 'forged' | 'certificate', signed: readonly Buffer[]): Buffer {
    const made = packed === 'certificate' ? attestationCertificate() : null;
    const other = generateKeyPairSync('ec', { namedCurve: 'P-256' });
    const own = packed === 'self' ? this.keys : other;
    const key: KeyObject | Buffer = made === null ? own.privateKey : made.key;
    return Buffer.concat([
      Buffer.from([made === null ? 0xa2 : 0xa3]),
      cborText('alg'),
      Buffer.from([0x26]),
      cborText('sig'),
      cborBytes(sign('sha256', Buffer.concat(signed), key)),
      ...(made === null ? [] : [cborText('x5c'), Buffer.from([0x81]), cborBytes(made.certificate)]),
    ]);
  }

  private data({ rpId = RP_ID, flags = 0, counter = 0 }: DeviceChanges, attested = Buffer.alloc(0)): Buffer {
    const count = Buffer.alloc(4);
    count.writeUInt32BE(counter);
    return Buffer.concat([sha256(rpId), Buffer.from([flags]), count, attested]);
  }

  private credential(response: object): object {
    const id = this.id.toString('base64url');
    return { id, rawId: id, type: 'public-key', response, clientExtensionResults: {} };
  }
}

const clientData = (type: string, challenge: string, { origin = ORIGIN }: DeviceChanges): Buffer =>
  Buffer.from(JSON.stringify({ type, challenge, origin, crossOrigin: false }));
