import { ApiKeyEntity, AuditLogEntity, OrganisationEntity, ProviderEntity, UserEntity } from '@gw/entities';
import { hashApiKey } from '@gw/kernel';
import { testDatabase } from '@gw/testing';
import { mkdtemp, readdir, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { isPassword } from '../auth/passwords';
import { Secrets } from '../settings';
import { setUp } from '../setup';
import type { InstallationCredentials } from '@gw/contracts';

const MASTER = Buffer.alloc(32, 3);
const SERVICE_TOKEN = 'a-service-token-of-enough-characters';

describe('the set-up', () => {
  const database = testDatabase({ empty: true });
  let folder: string;
  let file: string;
  let environment: Record<string, string>;

  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'setup-'));
    file = join(folder, 'inner', 'credentials.json');
    environment = {
      DATABASE_URL: database.url,
      ENCRYPTION_KEY: MASTER.toString('base64'),
      SERVICE_TOKEN,
      CREDENTIALS_FILE: file,
      API_KEY_PREFIX: 'tg_',
      SANDBOX_ENABLED: 'on',
      OPENAI_API_KEY: 'sk-of-the-environment',
      LOG_LEVEL: 'silent',
    };
  });
  afterAll(async () => {
    await rm(folder, { recursive: true, force: true });
  });

  const read = async (): Promise<InstallationCredentials> =>
    JSON.parse(await readFile(file, 'utf8')) as InstallationCredentials;
  const providers = async (): Promise<string[]> => {
    const rows = await database.dataSource.manager.find(ProviderEntity, { order: { slug: 'ASC' } });
    return rows.map(({ slug, status }) => `${slug} ${status}`);
  };

  it('migrates an empty database and hands out what opens it, readable by the owner alone', async () => {
    await setUp(environment);
    const made = await read();
    expect(made).toMatchObject({
      base_url: 'http://127.0.0.1:8787/v1',
      admin_url: 'http://127.0.0.1:8788',
      owner_email: 'owner@tollgate.local',
    });
    expect((await stat(file)).mode & 0o777).toBe(0o600);
    expect(await readdir(join(folder, 'inner'))).toEqual(['credentials.json']);
    const { apiKeyPepper } = new Secrets(MASTER, SERVICE_TOKEN);
    for (const [secret, workspaceId] of [
      [made.api_key, made.workspace_id],
      [made.admin_api_key, null],
    ] as const) {
      expect(secret).toMatch(/^tg_[A-Za-z0-9]{32}$/);
      const [key] = await database.dataSource.query<{ workspace_id: string | null }[]>(
        'SELECT k.* FROM api_keys k JOIN api_key_secrets s ON s.api_key_id = k.id WHERE s.secret_hash = $1',
        [hashApiKey(apiKeyPepper, secret)],
      );
      expect(key?.workspace_id).toBe(workspaceId);
    }
    const user = await database.dataSource.manager.findOneByOrFail(UserEntity, { email: made.owner_email });
    expect(await isPassword(user.passwordHash, made.owner_password)).toBe(true);
    expect(await providers()).toEqual(['openai active', 'sandbox active']);
  });

  it('keeps the secrets of the file at the next start and refreshes the addresses', async () => {
    const before = await read();
    await setUp({ ...environment, HOST: '0.0.0.0', GATEWAY_PORT: '9001', ADMIN_PORT: '9002' });
    expect(await read()).toEqual({
      ...before,
      base_url: 'http://127.0.0.1:9001/v1',
      admin_url: 'http://127.0.0.1:9002',
    });
    expect(await database.dataSource.manager.count(OrganisationEntity)).toBe(1);
    expect(await database.dataSource.manager.count(ApiKeyEntity)).toBe(2);
  });

  it('leaves providers alone that were deleted by hand, and saves those whose key is new in the environment', async () => {
    await database.dataSource.manager.update(ProviderEntity, { slug: 'openai' }, { status: 'archived' });
    await setUp({ ...environment, GROQ_API_KEY: 'gsk-new' });
    expect(await providers()).toEqual(['groq active', 'openai archived', 'sandbox active']);
  });

  it.each([
    ['lost', (): Promise<void> => rm(file)],
    ['damaged', (): Promise<void> => writeFile(file, '{"api_key": "')],
  ])('issues fresh keys and a fresh password when the file was %s', async (_case, damage) => {
    const before = await read();
    await damage();
    await setUp(environment);
    const after = await read();
    expect(after.organisation_id).toBe(before.organisation_id);
    expect(after.api_key).not.toBe(before.api_key);
    const user = await database.dataSource.manager.findOneByOrFail(UserEntity, { email: after.owner_email });
    expect(await isPassword(user.passwordHash, after.owner_password)).toBe(true);
    expect(await isPassword(user.passwordHash, before.owner_password)).toBe(false);
  });

  it('lets several machines set up one database at once: one seeds, the others find it done', async () => {
    const files = [1, 2, 3].map((n) => join(folder, `${String(n)}.json`));
    await Promise.all(files.map((path) => setUp({ ...environment, CREDENTIALS_FILE: path })));
    expect(await database.dataSource.manager.count(OrganisationEntity)).toBe(1);
  });

  it('keeps no secret in the clear in the database', async () => {
    const { api_key, admin_api_key, owner_password } = await read();
    const tables = await database.dataSource.query<{ name: string }[]>(
      `SELECT table_name AS name FROM information_schema.tables WHERE table_schema = 'public'`,
    );
    for (const { name } of tables) {
      const rows = JSON.stringify(await database.dataSource.query(`SELECT * FROM "${name}"`));
      for (const secret of [api_key, admin_api_key, owner_password, 'sk-of-the-environment']) {
        expect(rows).not.toContain(secret);
      }
    }
    expect(await database.dataSource.manager.count(AuditLogEntity)).toBe(0);
  });

  it('[ENV-09] names every bad setting and never its value', async () => {
    const bad = { ...environment, ENCRYPTION_KEY: 'c2hvcnQ=', GATEWAY_PORT: '99999', API_KEY_PREFIX: 'a b' };
    const failure = await setUp(bad).catch((error: unknown) => error as Error);
    expect(String(failure)).toMatch(/ENCRYPTION_KEY/);
    expect(String(failure)).toMatch(/GATEWAY_PORT/);
    expect(String(failure)).toMatch(/API_KEY_PREFIX/);
    expect(String(failure)).not.toContain('c2hvcnQ');
  });

  it('gives up on a database that does not answer within the wait, and at once on a wrong password', async () => {
    const nowhere = {
      ...environment,
      DATABASE_URL: 'postgres://a:b@127.0.0.1:1/x',
      DATABASE_WAIT_SECONDS: '0',
    };
    await expect(setUp(nowhere)).rejects.toThrow();
    const url = new URL(database.url);
    url.pathname = '/no_such_database';
    await expect(setUp({ ...environment, DATABASE_URL: url.toString() })).rejects.toThrow(/no_such_database/);
  });
});
