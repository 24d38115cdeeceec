import type { InstallationCredentials } from '@gw/contracts';
import { randomHex } from '@gw/kernel';
import { mkdir, open, readFile, rename, rm } from 'node:fs/promises';
import { dirname } from 'node:path';

type Addresses = Pick<InstallationCredentials, 'base_url' | 'admin_url'>;

/** Contents of the credentials file without the addresses. */
export type IssuedCredentials = Omit<InstallationCredentials, keyof Addresses>;

// A record, so that the compiler reports a missing member.
const IS_ISSUED: Readonly<Record<keyof IssuedCredentials, true>> = {
  api_key: true,
  admin_api_key: true,
  organisation_id: true,
  workspace_id: true,
  workspace_slug: true,
  owner_email: true,
  owner_password: true,
};

/** Returns null when the file does not exist, is not JSON or is incomplete. */
async function readCredentials(path: string): Promise<IssuedCredentials | null> {
  try {
    const content: unknown = JSON.parse(await readFile(path, 'utf8'));
    if (typeof content !== 'object' || content === null) return null;
    const isWhole = Object.keys(IS_ISSUED).every((field) => typeof Reflect.get(content, field) === 'string');
    return isWhole ? (content as IssuedCredentials) : null;
  } catch (error) {
    if (error instanceof SyntaxError || isMissing(error)) return null;
    throw error;
  }
}

const isMissing = (error: unknown): boolean => Reflect.get(Object(error), 'code') === 'ENOENT';

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
  } catch (error) {
    await rm(partial, { force: true });
    throw error;
  }
}

/** The file to which the first set-up writes its credentials. Only the first set-up creates it. */
export class CredentialsFile {
  constructor(
    private readonly path: string,
    private readonly addresses: Addresses,
  ) {}

  /**
   * Creates the file. Renames an existing file, which belongs to another database, because its
   * credentials exist nowhere else: by its organisation, or randomly when it is not complete.
   */
  async create(created: IssuedCredentials): Promise<void> {
    const earlier = await readCredentials(this.path);
    try {
      await rename(this.path, `${this.path}.${earlier?.organisation_id ?? randomHex(6)}`);
    } catch (error) {
      if (!isMissing(error)) throw error;
    }
    await writeCredentials(this.path, { ...this.addresses, ...created });
  }

  /**
   * Updates the addresses in the file. Returns false and changes nothing when the file is missing,
   * is not complete or belongs to another database.
   */
  async refresh(organisationId: string): Promise<boolean> {
    const savedCredentials = await readCredentials(this.path);
    if (savedCredentials?.organisation_id !== organisationId) return false;
    await writeCredentials(this.path, { ...savedCredentials, ...this.addresses });
    return true;
  }
}
