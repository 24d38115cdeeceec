import { existsSync, mkdirSync, mkdtempSync, readdirSync, rmSync, utimesSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { LoginStore, type Login } from './login-store';

const URL = 'https://gateway.example.com';
const login = (accessToken: string): Login => ({ accessToken, refreshToken: null, expiresAt: 0 });

describe('LoginStore', () => {
  let folder = '';
  let store: LoginStore;
  let lockPath = '';
  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'tollgate-login-store-'));
    store = LoginStore.of({ XDG_CONFIG_HOME: folder });
    lockPath = `${store.path}.lock`;
  });
  afterEach(() => {
    rmSync(folder, { recursive: true });
  });

  it.each([
    ['an absolute XDG_CONFIG_HOME', { XDG_CONFIG_HOME: '/etc/ann', HOME: '/home/ann' }, '/etc/ann'],
    ['no XDG_CONFIG_HOME', { HOME: '/home/ann' }, '/home/ann/.config'],
    ['an empty XDG_CONFIG_HOME', { XDG_CONFIG_HOME: '', HOME: '/home/ann' }, '/home/ann/.config'],
    ['a relative XDG_CONFIG_HOME', { XDG_CONFIG_HOME: 'ann', HOME: '/home/ann' }, '/home/ann/.config'],
    ['an empty HOME', { HOME: '', USERPROFILE: '/users/ann' }, '/users/ann/.config'],
  ])('never stores logins in the working folder: %s', (_, environment, base) => {
    expect(LoginStore.of(environment).path).toBe(join(base, 'tollgate', 'logins.json'));
  });

  it('reports the variables to set when the environment names no folder', () => {
    for (const environment of [{}, { HOME: '', XDG_CONFIG_HOME: '' }])
      expect(() => LoginStore.of(environment)).toThrow('set HOME or XDG_CONFIG_HOME to an absolute path');
  });

  it('lets one of several waiting processes at a time take over the lock of a dead process', async () => {
    mkdirSync(join(folder, 'tollgate'));
    let [holders, holdersMax] = [0, 0];
    const change = (): Promise<unknown> =>
      store.change(URL, async () => {
        holdersMax = Math.max(holdersMax, (holders += 1));
        for (let turns = 0; turns < 20; turns += 1) await new Promise((resolve) => setImmediate(resolve));
        holders -= 1;
        return login('a');
      });
    for (let rounds = 0; rounds < 5; rounds += 1) {
      writeFileSync(lockPath, 'dead');
      utimesSync(lockPath, new Date(0), new Date(0));
      const changes: Promise<unknown>[] = [];
      for (let waiting = 0; waiting < 5; waiting += 1) {
        changes.push(change());
        await new Promise((resolve) => setImmediate(resolve));
      }
      await Promise.all(changes);
    }
    expect(holdersMax).toBe(1);
    expect(readdirSync(join(folder, 'tollgate'))).toEqual(['logins.json']);
  });

  it('releases the lock when the process exits before the change is complete', async () => {
    const before = process.listeners('exit');
    await store.change(URL, () => {
      const added = process.listeners('exit').filter((listener) => !before.includes(listener));
      expect([existsSync(lockPath), added]).toEqual([true, [expect.any(Function)]]);
      for (const exit of added) exit.call(process, 130);
      expect(existsSync(lockPath)).toBe(false);
      return Promise.resolve(login('a'));
    });
    expect(process.listeners('exit')).toEqual(before);
  });
});
