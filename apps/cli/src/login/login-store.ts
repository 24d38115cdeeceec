import { randomUUID } from 'node:crypto';
import { readFileSync, rmSync } from 'node:fs';
import { mkdir, open, readFile, rename, rm, stat, writeFile } from 'node:fs/promises';
import { dirname, isAbsolute, join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { isObject } from '@gw/kernel';

/** Login that `tollgate login` stores for one control plane. */
export interface Login {
  readonly accessToken: string;
  readonly refreshToken: string | null;
  /** Unix milliseconds. */
  readonly expiresAt: number;
}

type Logins = Readonly<Record<string, Login>>;

/**
 * Age in milliseconds from which a lock counts as left by a dead process; requests of one renewal
 * take at most a minute.
 */
const LOCK_STALE_MS = 300_000;
const LOCK_POLL_MS = 50;

/** Stores logins by the address of their control plane, in a file that only its user can read. */
export class LoginStore {
  private readonly lockPath: string;

  constructor(readonly path: string) {
    this.lockPath = `${path}.lock`;
  }

  /**
   * Returns the store of a user: `tollgate/logins.json` in `XDG_CONFIG_HOME` or `~/.config`. Throws
   * if neither is known. Empty and relative paths are ignored, as the XDG specification requires: a
   * login must not be stored in the working folder.
   */
  static of({ XDG_CONFIG_HOME: folder, HOME, USERPROFILE }: NodeJS.ProcessEnv): LoginStore {
    const home = [HOME, USERPROFILE].find(isFolder);
    const base = isFolder(folder) ? folder : home && join(home, '.config');
    if (base === undefined)
      throw new Error(
        'There is no folder for a login; set HOME or XDG_CONFIG_HOME to an absolute path, or TOLLGATE_API_KEY to an API key.',
      );
    return new LoginStore(join(base, 'tollgate', 'logins.json'));
  }

  async get(url: string): Promise<Login | null> {
    const logins = await this.read();
    return (Object.hasOwn(logins, url) ? logins[url] : null) ?? null;
  }

  /**
   * Replaces the login of a control plane by the result of `change`; null removes it. Only one
   * process does this at a time, so that a refresh token is used once.
   */
  async change(url: string, change: (login: Login | null) => Promise<Login | null>): Promise<Login | null> {
    await mkdir(dirname(this.path), { recursive: true, mode: 0o700 });
    const owner = randomUUID();
    await this.lock(owner);
    // Without this, Ctrl-C would make the next command wait until the lock is stale.
    const onExit = (): void => this.unlock(owner);
    process.once('exit', onExit);
    try {
      const before = await this.get(url);
      const after = await change(before);
      if (after !== before) await this.write(url, after);
      return after;
    } finally {
      process.off('exit', onExit);
      this.unlock(owner);
    }
  }

  private async read(): Promise<Logins> {
    let text: string;
    try {
      text = await readFile(this.path, 'utf8');
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code === 'ENOENT') return {};
      throw error;
    }
    const logins = parsed(text);
    if (!isObject(logins))
      throw new Error(`${this.path} is not a file of logins; delete it and log in again.`);
    return logins as unknown as Logins;
  }

  private async write(url: string, login: Login | null): Promise<void> {
    const { [url]: _before, ...others } = await this.read();
    const next = login === null ? others : { ...others, [url]: login };
    const draft = `${this.path}.new`;
    await rm(draft, { force: true });
    const file = await open(draft, 'wx', 0o600);
    try {
      await file.writeFile(`${JSON.stringify(next, null, 2)}\n`);
      await file.sync();
    } finally {
      await file.close();
    }
    await rename(draft, this.path);
  }

  private async lock(owner: string): Promise<void> {
    while (!(await create(this.lockPath, owner))) {
      if (await isStale(this.lockPath)) await this.removeStaleLock();
      else await delay(LOCK_POLL_MS);
    }
  }

  /**
   * Removes the lock of a dead process. A second lock ensures that only one process does this, so
   * that none removes the lock of the process that takes over.
   */
  private async removeStaleLock(): Promise<void> {
    const guardPath = `${this.lockPath}.stale`;
    if (!(await create(guardPath, ''))) {
      if (await isStale(guardPath)) await rm(guardPath, { force: true });
      await delay(LOCK_POLL_MS);
      return;
    }
    try {
      if (await isStale(this.lockPath)) await rm(this.lockPath, { force: true });
    } finally {
      await rm(guardPath, { force: true });
    }
  }

  /**
   * Releases the lock, unless another process has taken it over because it considered this one
   * dead.
   */
  private unlock(owner: string): void {
    try {
      if (readFileSync(this.lockPath, 'utf8') === owner) rmSync(this.lockPath);
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw error;
    }
  }
}

const isFolder = (path: string | undefined): path is string => path !== undefined && isAbsolute(path);

/** Creates a file that only its user can read; returns false if it exists. */
async function create(path: string, content: string): Promise<boolean> {
  try {
    await writeFile(path, content, { flag: 'wx', mode: 0o600 });
    return true;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'EEXIST') return false;
    throw error;
  }
}

/** Whether a lock exists and its process counts as dead. */
async function isStale(path: string): Promise<boolean> {
  const { mtimeMs } = await stat(path).catch(() => ({ mtimeMs: Infinity }));
  return Date.now() - mtimeMs > LOCK_STALE_MS;
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
