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

/** Returns null when the file does not exist or is incomplete. */
async function readCredentials(path: string): Promise<InstallationCredentials | null> {
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

/** Writes the file atomically, with mode 0600 from its creation. */
async function writeCredentials(path: string, credentials: InstallationCredentials): Promise<void> {
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

type Addresses = Pick<InstallationCredentials, 'base_url' | 'admin_url'>;

/** The file to which the first set-up writes its credentials. Only the first set-up creates it. */
export class CredentialsFile {
  constructor(
    private readonly path: string,
    private readonly addresses: Addresses,
  ) {}

  /**
   * Creates the file. Renames an existing file of another database, because its credentials exist
   * nowhere else.
   */
  async create(created: Omit<InstallationCredentials, keyof Addresses>): Promise<void> {
    const earlier = await readCredentials(this.path);
    if (earlier) await rename(this.path, `${this.path}.${earlier.organisation_id}`);
    await writeCredentials(this.path, { ...this.addresses, ...created });
  }

  /**
   * Updates the addresses in the file. Returns false and changes nothing when the file is missing
   * or belongs to another database.
   */
  async refresh(organisationId: string): Promise<boolean> {
    const savedCredentials = await readCredentials(this.path);
    if (savedCredentials?.organisation_id !== organisationId) return false;
    await writeCredentials(this.path, { ...savedCredentials, ...this.addresses });
    return true;
  }
}
