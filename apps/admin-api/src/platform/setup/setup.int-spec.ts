import {
  AgentServerEntity,
  ApiKeyEntity,
  AuditLogEntity,
  IntegrationModelEntity,
  McpServerEntity,
  OrganisationEntity,
  ProviderEntity,
  UserEntity,
} from '@gw/entities';
import { hashApiKey, readSettings } from '@gw/kernel';
import { createPriceBook, createPricer, SavedPrices } from '@gw/pricing';
import { testDatabase } from '@gw/testing';
import { createLog } from '@gw/web';
import { once } from 'node:events';
import { mkdtemp, readdir, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { connect, createServer, type AddressInfo, type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { isPassword } from '../auth/passwords';
import { createAdminApi } from '../../app';
import { ADMIN_SETTINGS, Secrets } from '../../settings';
import { setUp } from '../../setup';
import type { InstallationCredentials } from '@gw/contracts';

const MASTER = Buffer.alloc(32, 3);
const SERVICE_TOKEN = 'a-service-token-of-enough-characters';

describe('set-up', () => {
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

  /** Returns slug, status and approved tools of each MCP server. */
  const mcpServers = async (): Promise<string[]> => {
    const rows = await database.dataSource.query<{ text: string }[]>(
      `SELECT concat_ws(' ', s.slug, s.status, string_agg(c.name, ',' ORDER BY c.name)) AS text
       FROM mcp_servers s JOIN mcp_capabilities c USING (integration_id)
       WHERE c.type = 'tool' AND c.state = 'approved' GROUP BY s.slug, s.status`,
    );
    return rows.map(({ text }) => text);
  };

  /** Returns slug, status and approved skills of each agent. */
  const agents = async (): Promise<string[]> => {
    const rows = await database.dataSource.query<{ text: string }[]>(
      `SELECT concat_ws(' ', s.slug, s.status, string_agg(c.name, ',' ORDER BY c.name)) AS text
       FROM agent_servers s JOIN agent_skills c USING (integration_id)
       WHERE c.type = 'skill' AND c.state = 'approved' GROUP BY s.slug, s.status`,
    );
    return rows.map(({ text }) => text);
  };

  it('migrates an empty database and writes its credentials to a file that only its owner can read', async () => {
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
    expect(await mcpServers()).toEqual(['sandbox active add,echo,greet,now']);
    expect(await agents()).toEqual(['sandbox active echo']);
  });

  const sandboxPrices = (): Promise<unknown[]> =>
    database.dataSource.query(
      `SELECT m.slug, m.enabled, m.pricing_config #>> '{pay_as_you_go,request_token,price}' AS input
       FROM integration_models m JOIN integrations i ON i.id = m.integration_id
       WHERE i.ai_provider_id = 'sandbox' ORDER BY m.slug`,
    );

  it('sets prices of the sandbox only when SANDBOX_PRICED is true, and only for a new sandbox', async () => {
    expect(await sandboxPrices()).toEqual([]);
    await setUp({ ...environment, SANDBOX_PRICED: 'true' });
    expect(await sandboxPrices()).toEqual([]);
  });

  it('keeps the secrets in the file at the next start and updates the addresses', async () => {
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

  it('leaves deleted providers and servers unchanged, and saves providers whose key is new in the environment', async () => {
    await database.dataSource.manager.update(ProviderEntity, { slug: 'openai' }, { status: 'archived' });
    await database.dataSource.manager.update(McpServerEntity, { slug: 'sandbox' }, { status: 'archived' });
    await database.dataSource.manager.update(AgentServerEntity, { slug: 'sandbox' }, { status: 'archived' });
    await setUp({ ...environment, GROQ_API_KEY: 'gsk-new' });
    expect(await providers()).toEqual(['groq active', 'openai archived', 'sandbox active']);
    expect(await mcpServers()).toEqual(['sandbox archived add,echo,greet,now']);
    expect(await agents()).toEqual(['sandbox archived echo']);
  });

  /** Returns all rows that give access; they must be equal before and after a set-up. */
  const identities = (): Promise<unknown> =>
    database.dataSource.query(
      `SELECT u.password_hash, u.email, k.id AS key, s.secret_hash FROM users u
       CROSS JOIN api_keys k JOIN api_key_secrets s ON s.api_key_id = k.id ORDER BY k.id`,
    );

  it.each([
    ['deleted', (): Promise<void> => rm(file)],
    ['damaged', (): Promise<void> => writeFile(file, '{"api_key": "')],
    [
      'of another database',
      (): Promise<void> => writeFile(file, JSON.stringify({ organisation_id: 'other' })),
    ],
  ])('issues no key and resets no password when the credentials file is %s', async (_case, damage) => {
    const [content, before] = [await readFile(file, 'utf8'), await identities()];
    await damage();
    const damaged = await readFile(file, 'utf8').catch(() => null);
    await setUp(environment);
    expect(await identities()).toEqual(before);
    expect(await readFile(file, 'utf8').catch(() => null)).toBe(damaged);
    await writeFile(file, content, { mode: 0o600 });
  });

  it('issues nothing in further pods, each with its own folder, and reports that only in the log', async () => {
    const before = await identities();
    const files = [1, 2, 3].map((n) => join(folder, `pod-${String(n)}.json`));
    await Promise.all(files.map((path) => setUp({ ...environment, CREDENTIALS_FILE: path })));
    expect(await identities()).toEqual(before);
    expect((await readdir(folder)).filter((name) => name.startsWith('pod-'))).toEqual([]);
    expect(await database.dataSource.manager.count(OrganisationEntity)).toBe(1);
  });

  it('refuses an ENCRYPTION_KEY that does not open the data, and changes nothing', async () => {
    const before = await identities();
    const other = { ...environment, ENCRYPTION_KEY: Buffer.alloc(32, 4).toString('base64') };
    await expect(setUp(other)).rejects.toThrow(/^ENCRYPTION_KEY does not open the data of this installation/);
    expect(await identities()).toEqual(before);
    const settings = readSettings(ADMIN_SETTINGS, other);
    await expect(createAdminApi(settings, createLog('test', 'silent'))).rejects.toThrow('ENCRYPTION_KEY');
  });

  it('accepts a new ENCRYPTION_KEY next to the earlier one, and also the return to the earlier one', async () => {
    const before = await identities();
    const next = Buffer.alloc(32, 5).toString('base64');
    await setUp({
      ...environment,
      ENCRYPTION_KEY: next,
      ENCRYPTION_KEYS_PREVIOUS: MASTER.toString('base64'),
    });
    await setUp(environment);
    expect(await identities()).toEqual(before);
  });

  it('checks the key of a database from an older release against its credentials', async () => {
    await database.dataSource.query('DELETE FROM installation');
    const other = { ...environment, ENCRYPTION_KEY: Buffer.alloc(32, 4).toString('base64') };
    await expect(setUp(other)).rejects.toThrow('ENCRYPTION_KEY');
    const before = await identities();
    await setUp(environment);
    expect(await identities()).toEqual(before);
    expect(await database.dataSource.query('SELECT organisation_id FROM installation')).toEqual([
      { organisation_id: (await read()).organisation_id },
    ]);
  });

  it('stores no secret in clear text in the database', async () => {
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
    const audited = await database.dataSource.manager.find(AuditLogEntity, { order: { sequence: 'ASC' } });
    expect(audited.map(({ userType, action, resourceType }) => [userType, action, resourceType])).toEqual([
      ['system', 'create', 'users'],
      ['system', 'create', 'api_keys'],
      ['system', 'create', 'api_keys'],
    ]);
  });

  it('[ENV-09] names every invalid setting and never its value', async () => {
    const bad = { ...environment, ENCRYPTION_KEY: 'c2hvcnQ=', GATEWAY_PORT: '99999', API_KEY_PREFIX: 'a b' };
    const failure = await setUp(bad).catch((error: unknown) => error as Error);
    expect(String(failure)).toMatch(/ENCRYPTION_KEY/);
    expect(String(failure)).toMatch(/GATEWAY_PORT/);
    expect(String(failure)).toMatch(/API_KEY_PREFIX/);
    expect(String(failure)).not.toContain('c2hvcnQ');
  });

  it('waits for a database that accepts connections but does not respond yet', async () => {
    const url = new URL(database.url);
    const { hostname, port } = url;
    const sockets: Socket[] = [];
    const proxy = createServer((socket) => {
      sockets.push(socket.on('error', () => undefined));
      if (sockets.length === 1) return;
      const upstream = connect(Number(port), hostname).on('error', () => socket.destroy());
      socket.pipe(upstream).pipe(socket);
    }).listen(0, '127.0.0.1');
    await once(proxy, 'listening');
    url.host = `127.0.0.1:${String((proxy.address() as AddressInfo).port)}`;
    try {
      await setUp({ ...environment, DATABASE_URL: url.href });
      expect(sockets.length).toBeGreaterThan(1);
    } finally {
      for (const socket of sockets) socket.destroy();
      proxy.close();
    }
  });

  it('fails when the database does not respond in time, and immediately on a wrong password', async () => {
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

describe('set-up of empty databases', () => {
  const settingsFor = (url: string, more: Record<string, string>): Record<string, string> => ({
    DATABASE_URL: url,
    ENCRYPTION_KEY: MASTER.toString('base64'),
    SERVICE_TOKEN,
    LOG_LEVEL: 'silent',
    ...more,
  });

  describe('with a password for the owner and no file', () => {
    const database = testDatabase({ empty: true });

    it('creates the owner with OWNER_PASSWORD and issues no key', async () => {
      await expect(setUp(settingsFor(database.url, {}))).rejects.toThrow('OWNER_PASSWORD is required');
      await setUp(settingsFor(database.url, { OWNER_PASSWORD: 'correct horse battery' }));
      await setUp(settingsFor(database.url, { OWNER_PASSWORD: 'of a later set-up' }));
      const { manager } = database.dataSource;
      const [user] = await manager.find(UserEntity);
      expect(await isPassword(user?.passwordHash ?? '', 'correct horse battery')).toBe(true);
      expect([await manager.count(UserEntity), await manager.count(ApiKeyEntity)]).toEqual([1, 0]);
    });
  });

  describe('from several machines at the same time', () => {
    const database = testDatabase({ empty: true });

    it('seeds once, and one machine writes the file', async () => {
      const folder = await mkdtemp(join(tmpdir(), 'setup-'));
      const files = [1, 2, 3].map((n) => join(folder, `${String(n)}.json`));
      await Promise.all(files.map((path) => setUp(settingsFor(database.url, { CREDENTIALS_FILE: path }))));
      expect(await database.dataSource.manager.count(OrganisationEntity)).toBe(1);
      expect(await database.dataSource.manager.count(ApiKeyEntity)).toBe(2);
      expect(await readdir(folder)).toHaveLength(1);
      await rm(folder, { recursive: true });
    });
  });
});

describe('set-up with prices of the sandbox', () => {
  const database = testDatabase({ empty: true });

  it('saves them as prices of its integration, which a gateway charges', async () => {
    await setUp({
      ...{ DATABASE_URL: database.url, ENCRYPTION_KEY: MASTER.toString('base64'), SERVICE_TOKEN },
      ...{ OWNER_PASSWORD: 'a long password of the owner', LOG_LEVEL: 'silent' },
      ...{ SANDBOX_ENABLED: 'on', SANDBOX_PRICED: 'on' },
    });
    const rows = await database.dataSource.manager.find(IntegrationModelEntity, { order: { slug: 'ASC' } });
    const models = rows.map(({ slug, pricingConfig }) => ({
      ...{ slug, pricingConfig, baseModelSlug: null, price: null },
    }));
    expect(models.map(({ slug }) => slug)).toEqual(['sandbox-large', 'sandbox-small']);
    const saved = new SavedPrices(models, null);
    const pricer = createPricer(createPriceBook());
    const provider = { id: 'sandbox', priceCatalogueId: null };
    const million = models.map(({ slug }) => {
      const request = saved.request(provider, slug);
      return request && pricer.priceOfText(request, 1_000_000, 1_000_000, Date.now());
    });
    // 5.00 and 0.50 USD per million tokens.
    expect(million).toEqual([500_000_000, 50_000_000]);
  });
});
