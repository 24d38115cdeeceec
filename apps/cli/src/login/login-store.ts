import { randomUUID } from 'node:crypto';
import { mkdir, open, readFile, rename, rm, stat, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
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
   * if neither is known.
   */
  static of({ XDG_CONFIG_HOME: folder, HOME: home, USERPROFILE: profile }: NodeJS.ProcessEnv): LoginStore {
    const owner = home ?? profile;
    const base = folder ?? (owner === undefined ? undefined : join(owner, '.config'));
    if (base === undefined) throw new Error('HOME is not set, so there is no place for a login.');
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
    try {
      const before = await this.get(url);
      const after = await change(before);
      if (after !== before) await this.write(url, after);
      return after;
    } finally {
      await this.unlock(owner);
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
    for (;;) {
      try {
        await writeFile(this.lockPath, owner, { flag: 'wx', mode: 0o600 });
        return;
      } catch (error) {
        if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
      }
      const made = await stat(this.lockPath).then(
        ({ mtimeMs }) => mtimeMs,
        () => Infinity,
      );
      if (Date.now() - made > LOCK_STALE_MS) await rm(this.lockPath, { force: true });
      else await delay(LOCK_POLL_MS);
    }
  }

  /**
   * Releases the lock, unless another process has taken it over because it considered this one
   * dead.
   */
  private async unlock(owner: string): Promise<void> {
    const holder = await readFile(this.lockPath, 'utf8').catch(() => null);
    if (holder === owner) await rm(this.lockPath, { force: true });
  }
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
