import type { InstallationCredentials } from '@gw/contracts';
import { randomHex } from '@gw/kernel';
import { chmod, mkdir, open, readFile, rename, rm } from 'node:fs/promises';
import { dirname } from 'node:path';

const FIELDS = [
  'api_key',
  'admin_api_key',
  'organisation_id',
  'workspace_id',
  'workspace_slug',
  'owner_email',
  'owner_password',
] as const;

/** Null when there is no file, or one that is not whole. */
export async function readCredentials(path: string): Promise<InstallationCredentials | null> {
  try {
    const content: unknown = JSON.parse(await readFile(path, 'utf8'));
    if (typeof content !== 'object' || content === null) return null;
    const isWhole = FIELDS.every((field) => typeof Reflect.get(content, field) === 'string');
    return isWhole ? (content as InstallationCredentials) : null;
  } catch (error) {
    if (error instanceof SyntaxError || Reflect.get(Object(error), 'code') === 'ENOENT') return null;
    throw error;
  }
}

/** Whole or not at all, and readable by its owner alone from its first byte on. */
export async function writeCredentials(path: string, credentials: InstallationCredentials): Promise<void> {
  await mkdir(dirname(path), { recursive: true, mode: 0o700 });
  const partial = `${path}.${randomHex(6)}.partial`;
  try {
    const file = await open(partial, 'wx', 0o600);
    try {
      await file.writeFile(`${JSON.stringify(credentials, null, 2)}\n`);
      await file.sync();
    } finally {
      await file.close();
    }
    await rename(partial, path);
    await chmod(path, 0o600);
  } catch (error) {
    await rm(partial, { force: true });
    throw error;
  }
}
