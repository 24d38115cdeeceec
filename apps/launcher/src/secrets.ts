import { randomBytes } from 'node:crypto';
import { existsSync, readFileSync, renameSync, writeFileSync } from 'node:fs';

import { isObject, randomAlphanumeric } from '@gw/kernel';

import { StartError } from './start-error';

export interface Secrets {
  /**
   * Master key of the installation: 32 bytes in base64. Without it stored data cannot be decrypted.
   */
  readonly encryptionKey: string;
  /**
   * Earlier master keys, which still decrypt older data. A person who replaces `encryptionKey` adds
   * the old key here.
   */
  readonly encryptionKeysPrevious?: readonly string[];
  /** Bearer token between Tollgate's own processes. */
  readonly serviceToken: string;
  /** Password of the embedded Postgres. */
  readonly postgresPassword: string;
}

/**
 * Reads the secrets of this installation; creates them at the first start (mode 0600). Throws
 * `StartError` when the file cannot be used.
 */
export function loadSecrets(path: string): Secrets {
  if (existsSync(path)) return readSecrets(path);
  const secrets: Secrets = {
    encryptionKey: randomBytes(32).toString('base64'),
    serviceToken: randomAlphanumeric(48),
    postgresPassword: randomAlphanumeric(32),
  };
  // Written under a temporary name and renamed, so that an interrupted start never leaves a partial
  // file.
  writeFileSync(`${path}.partial`, `${JSON.stringify(secrets, null, 2)}\n`, { mode: 0o600, flush: true });
  renameSync(`${path}.partial`, path);
  return secrets;
}

function readSecrets(path: string): Secrets {
  const damaged = (fault: string): StartError =>
    new StartError(`${path} ${fault}; restore it, because the stored data is sealed with it.`);
  const text = readText(path);
  let stored: unknown;
  try {
    stored = JSON.parse(text);
  } catch {
    throw damaged('cannot be read as JSON');
  }
  if (!isObject(stored)) throw damaged('is not a JSON object');
  const { encryptionKey, encryptionKeysPrevious = [], serviceToken, postgresPassword } = stored;
  if (!isText(encryptionKey) || !isText(serviceToken) || !isText(postgresPassword))
    throw damaged('lacks a secret');
  if (!Array.isArray(encryptionKeysPrevious) || !encryptionKeysPrevious.every(isText))
    throw new StartError(`encryptionKeysPrevious in ${path} must be a list of keys: ["<earlier key>"].`);
  return { encryptionKey, encryptionKeysPrevious, serviceToken, postgresPassword };
}

/**
 * Throws `StartError` with the code of the system, such as EACCES after a start as another user.
 */
function readText(path: string): string {
  try {
    return readFileSync(path, 'utf8');
  } catch (error) {
    const code = String((error as { readonly code?: unknown }).code);
    throw new StartError(
      `${path} cannot be opened (${code}); let the user who starts Tollgate read it. Do not delete it, because the stored data is sealed with it.`,
    );
  }
}

const isText = (value: unknown): value is string => typeof value === 'string' && value !== '';
