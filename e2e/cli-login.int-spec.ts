import { mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { OauthArtifactEntity } from '@gw/entities';
import { eventually, freePort } from '@gw/testing';
import { TestAdminApi, PASSWORD } from '../apps/admin-api/src/spec-support/admin-api';
import { Browser, fieldOf } from '../apps/admin-api/src/platform/oauth/spec-support/browser';
import { OauthJourney } from '../apps/admin-api/src/platform/oauth/spec-support/oauth-journey';
import { runCli } from '../apps/cli/src/cli';
import type { Login } from '../apps/cli/src/login/login-store';

interface Run {
  readonly code: Promise<number>;
  readonly out: () => string;
  readonly err: () => string;
}

describe('tollgate login', () => {
  let port = 0;
  const admin = new TestAdminApi(async () => {
    port = await freePort();
    return { PUBLIC_URL: `http://127.0.0.1:${String(port)}` };
  });
  const tenant = admin.sharedTenant();
  const journey = new OauthJourney(admin);
  let url = '';
  let folder = '';
  let owner: { readonly id: string; readonly email: string };
  beforeAll(async () => {
    await admin.api.app.listen(port, '127.0.0.1');
    url = `http://127.0.0.1:${String(port)}`;
    owner = await admin.user(tenant.organisationId, 'owner');
  });
  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'tollgate-login-'));
  });
  afterEach(() => {
    rmSync(folder, { recursive: true });
  });

  const file = (): string => join(folder, 'tollgate', 'logins.json');
  const kept = (): Record<string, Login> => JSON.parse(readFileSync(file(), 'utf8')) as Record<string, Login>;
  const keep = (login: Login): void => {
    writeFileSync(file(), JSON.stringify({ [url]: login }));
  };

  function run(args: string, environment: Record<string, string> = {}, at = url): Run {
    let [out, err] = ['', ''];
    const output = {
      out: (text: string) => (out += text),
      err: (text: string) => (err += text),
      input: () => Promise.resolve(''),
    };
    const code = runCli(
      [...args.split(' '), '--url', at],
      { XDG_CONFIG_HOME: folder, ...environment },
      output,
      new AbortController().signal,
    );
    return { code, out: () => out, err: () => err };
  }

  /**
   * Approves or denies a login in a browser like its user, and returns the page that the command
   * line shows there.
   */
  async function agree(running: Run, step: 'approve' | 'deny' = 'approve'): Promise<string> {
    const page = await eventually(() => /http:\/\/\S+\/oauth\/authorize\?\S+/.exec(running.err())?.[0]);
    const browser = new Browser(admin);
    const response = await browser.open(page);
    const resumeState = /resume_state=([\w-]+)/.exec(String(response.headers['location']))?.[1] ?? '';
    const begun = { clientId: '', browser, verifier: '', redirectUri: '', response, resumeState };
    const asking = await journey.signIn(begun, owner.email);
    const decided = await journey.decide(begun, asking, step, '');
    const resumed = await browser.open(/url=([^"]+)"/.exec(decided.text)?.[1] ?? '');
    return (await fetch(String(resumed.headers['location']), { redirect: 'error' })).text();
  }

  async function login(): Promise<void> {
    const running = run('login');
    expect(await agree(running)).toContain('Go back to your terminal');
    expect([await running.code, running.out()]).toEqual([0, `Logged in at ${url}.\n`]);
  }

  it('stores a login in a private file of the user, which commands use until tollgate logout', async () => {
    await login();
    expect([statSync(file()).mode & 0o777, Object.keys(kept())]).toEqual([0o600, [url]]);
    const { accessToken, refreshToken } = kept()[url] as Login;
    const exported = run('export');
    expect([await exported.code, exported.err()]).toEqual([0, '']);
    expect(exported.out()).toContain('workspaces:');
    expect(exported.out()).not.toContain(accessToken);
    const ended = run('logout');
    expect([await ended.code, kept()]).toEqual([0, {}]);
    expect((await admin.get('/v1/workspaces', { token: accessToken })).status).toBe(401);
    expect((await journey.refresh('gw_cli', refreshToken ?? '')).status).toBe(400);
    const after = run('export');
    expect([await after.code, after.err()]).toEqual([2, expect.stringContaining('tollgate login')]);
  });

  it('renews a login once for parallel commands, and reports when it has ended', async () => {
    await login();
    const before = kept()[url] as Login;
    keep({ ...before, expiresAt: Date.now() });
    const runs = Array.from({ length: 4 }, () => run('export'));
    expect(await Promise.all(runs.map(({ code }) => code))).toEqual([0, 0, 0, 0]);
    const after = kept()[url] as Login;
    expect(after.refreshToken).not.toBe(before.refreshToken);
    keep({ ...after, expiresAt: Date.now(), refreshToken: before.refreshToken });
    const late = run('export');
    expect([await late.code, late.err()]).toEqual([2, expect.stringContaining('has ended')]);
  });

  it('prefers the key of the environment', async () => {
    const given = run('export', { TOLLGATE_API_KEY: tenant.adminKey });
    expect(await given.code).toBe(0);
  });

  it('fails when the user refuses', async () => {
    const running = run('login');
    await agree(running, 'deny');
    expect([await running.code, running.err()]).toEqual([2, expect.stringContaining('the user refused')]);
  });

  it('requests only the named scopes', async () => {
    const running = run('login --scopes logs.list');
    await agree(running);
    expect(await running.code).toBe(0);
    const refused = run('export');
    expect([await refused.code, refused.err()]).toEqual([3, expect.stringContaining('scope')]);
  });

  it('logs in with --device by a code that the user enters on another device', async () => {
    const running = run('login --device');
    const code = await eventually(() => /\n {2}([A-Z]{4}-[A-Z]{4})\n/.exec(running.err())?.[1]);
    const browser = new Browser(admin);
    const page = '/oauth/activate';
    const opened = await browser.open(page);
    const form = fieldOf(opened.text, 'form');
    const sent = { form, user_code: code, step: 'sign_in', email: owner.email, password: PASSWORD };
    const back = await browser.submit(page, sent);
    const asking = await browser.open(String(back.headers['location']));
    const csrf = fieldOf(asking.text, 'csrf');
    await browser.submit(page, { form, user_code: code, csrf, step: 'approve', workspace_id: '' });
    expect([await running.code, running.err()]).toEqual([0, expect.stringContaining(page)]);
    expect(await run('export').code).toBe(0);
    expect(await admin.dataSource.manager.countBy(OauthArtifactEntity, { model: 'DeviceCode' })).toBe(1);
  });

  it('keeps a login that could not be ended, and names a file that is not a login file', async () => {
    await login();
    const away = 'http://127.0.0.1:9';
    writeFileSync(file(), JSON.stringify({ [away]: kept()[url] }));
    const failed = run('logout', {}, away);
    expect([await failed.code, failed.err()]).toEqual([2, expect.stringContaining('try again')]);
    expect(Object.keys(kept())).toEqual([away]);
    for (const text of ['null', '[]', '{']) {
      writeFileSync(file(), text);
      const broken = run('export');
      expect([await broken.code, broken.err()]).toEqual([2, expect.stringContaining(file())]);
    }
  });

  it('sends nothing to an address that is not the public one or not secure', async () => {
    const other = run('login', {}, `http://localhost:${String(port)}`);
    expect([await other.code, other.err()]).toEqual([2, expect.stringContaining('--url')]);
    const plain = run('login', {}, 'http://gateway.example.com');
    expect([await plain.code, plain.err()]).toEqual([2, expect.stringContaining('https')]);
    const none = run('login', {}, 'http://127.0.0.1:9');
    expect(await none.code).toBe(2);
  });
});
