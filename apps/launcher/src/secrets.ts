import { randomBytes } from 'node:crypto';
import { existsSync, readFileSync, renameSync, writeFileSync } from 'node:fs';

import { randomAlphanumeric } from '@gw/kernel';

import { StartError } from './start-error';

export interface Secrets {
  /** The installation's master key: base64, 32 bytes. What is stored is lost without it. */
  readonly encryptionKey: string;
  /** Earlier master keys, which still open what they sealed; put here by who replaces `encryptionKey`. */
  readonly encryptionKeysPrevious?: readonly string[];
  /** The bearer token between our own processes. */
  readonly serviceToken: string;
  /** The password of the embedded Postgres. */
  readonly postgresPassword: string;
}

/** Reads the secrets of this installation; makes them at the first start (mode 0600). */
export function loadSecrets(path: string): Secrets {
  if (existsSync(path)) return readSecrets(path);
  const secrets: Secrets = {
    encryptionKey: randomBytes(32).toString('base64'),
    serviceToken: randomAlphanumeric(48),
    postgresPassword: randomAlphanumeric(32),
  };
  // Moved into place, so that an interrupted start never leaves half a file.
  writeFileSync(`${path}.partial`, `${JSON.stringify(secrets, null, 2)}\n`, { mode: 0o600, flush: true });
  renameSync(`${path}.partial`, path);
  return secrets;
}

function readSecrets(path: string): Secrets {
  let stored: Partial<Secrets>;
  try {
    stored = JSON.parse(readFileSync(path, 'utf8')) as Partial<Secrets>;
  } catch {
    throw new StartError(
      `${path} cannot be read as JSON; restore it, for the stored data is sealed with it.`,
    );
  }
  const { encryptionKey, encryptionKeysPrevious = [], serviceToken, postgresPassword } = stored;
  if (!encryptionKey || !serviceToken || !postgresPassword) {
    throw new StartError(`${path} lacks a secret; restore it, for the stored data is sealed with it.`);
  }
  return { encryptionKey, encryptionKeysPrevious, serviceToken, postgresPassword };
}
