import {
  createPrivateKey,
  createPublicKey,
  generateKeyPair,
  randomBytes,
  sign,
  type KeyObject,
} from 'node:crypto';
import { promisify } from 'node:util';

const YEAR_MS = 31_557_600_000;
const COMMON_NAME = '0603550403';
const ALGORITHMS = { rsa: '300d06092a864886f70d01010b0500', ec: '300a06082a8648ce3d040302' } as const;

/** A private key with its certificate, both PEM. */
export interface KeyWithCertificate {
  readonly privateKey: string;
  readonly certificate: string;
}

/**
 * Creates an RSA key with a self-signed certificate for ten years. SAML partners trust each
 * certificate individually.
 */
export async function newKeyWithCertificate(commonName: string): Promise<KeyWithCertificate> {
  const { privateKey } = await promisify(generateKeyPair)('rsa', { modulusLength: 2_048 });
  return {
    privateKey: privateKey.export({ type: 'pkcs8', format: 'pem' }).toString(),
    certificate: selfSigned(privateKey, commonName, new Date()),
  };
}

/** Creates a self-signed certificate of a key, valid for ten years. */
export function selfSigned(privateKey: KeyObject, commonName: string, from: Date): string {
  const isRsa = privateKey.asymmetricKeyType === 'rsa';
  const algorithm = Buffer.from(isRsa ? ALGORITHMS.rsa : ALGORITHMS.ec, 'hex');
  const name = der(
    0x30,
    der(0x31, der(0x30, Buffer.from(COMMON_NAME, 'hex'), der(0x0c, Buffer.from(commonName)))),
  );
  const body = der(
    0x30,
    der(0xa0, der(0x02, Buffer.from([2]))),
    // The first byte is 1, so that the serial number is positive.
    der(0x02, Buffer.concat([Buffer.from([1]), randomBytes(15)])),
    algorithm,
    name,
    der(0x30, time(from), time(new Date(from.getTime() + 10 * YEAR_MS))),
    name,
    createPublicKey(createPrivateKey(privateKey.export({ type: 'pkcs8', format: 'pem' }))).export({
      type: 'spki',
      format: 'der',
    }),
  );
  const signature = der(0x03, Buffer.from([0]), sign('sha256', body, privateKey));
  const base64 = der(0x30, body, algorithm, signature).toString('base64');
  return `-----BEGIN CERTIFICATE-----\n${(base64.match(/.{1,64}/g) ?? []).join('\n')}\n-----END CERTIFICATE-----\n`;
}

function der(tag: number, ...parts: readonly Buffer[]): Buffer {
  const content = Buffer.concat(parts);
  const { length } = content;
  if (length < 0x80) return Buffer.concat([Buffer.from([tag, length]), content]);
  const size = length < 0x1_00 ? [length] : [length >> 8, length & 0xff];
  return Buffer.concat([Buffer.from([tag, 0x80 + size.length, ...size]), content]);
}

const time = (date: Date): Buffer =>
  der(0x18, Buffer.from(`${date.toISOString().slice(0, 19).replace(/[-:T]/g, '')}Z`));
