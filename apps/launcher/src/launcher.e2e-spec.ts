import { spawnSync } from 'node:child_process';
import {
  chmodSync,
  existsSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  realpathSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { createServer, type Server } from 'node:net';
import { availableParallelism, tmpdir } from 'node:os';
import { join, resolve } from 'node:path';

import {
  eventually,
  freePort,
  mayScheduleFirst,
  schedulingPolicy,
  startProduct,
  type Product,
  type ProductProcess,
} from '@gw/testing';

const START = resolve(__dirname, '..', '..', '..', 'tools', 'start.cjs');

/** Runs a start that is expected to fail. Returns its output and how it ended. */
function failedStart(
  dataDir: string,
  environment: Record<string, string>,
): { code: number | null; lines: string[] } {
  const { status, stderr } = spawnSync(process.execPath, [START], {
    env: { ...process.env, DATABASE_URL: '', REDIS_URL: '', DATA_DIR: dataDir, ...environment },
    encoding: 'utf8',
    timeout: 120_000,
  });
  return { code: status, lines: stderr.trim().split('\n') };
}

describe('failed start', () => {
  let dataDir: string;
  let listener: Server | undefined;

  beforeEach(() => {
    dataDir = mkdtempSync(join(tmpdir(), 'tollgate-launcher-'));
  });

  afterEach(async () => {
    await new Promise((done) => (listener ? listener.close(done) : done(undefined)));
    listener = undefined;
    rmSync(dataDir, { recursive: true, force: true });
  });

  it('reports an invalid setting and its rule', () => {
    const { code, lines } = failedStart(dataDir, { GATEWAY_PORT: 'eighty' });
    expect(code).toBe(1);
    expect(lines).toEqual(['tollgate: GATEWAY_PORT must be a whole number from 1 to 65535.']);
  });

  it('reports the setting of a port in use, before it starts anything', async () => {
    const [gateway, admin, worker] = await Promise.all([freePort(), freePort(), freePort()]);
    listener = createServer();
    await new Promise<void>((done) => listener?.listen(admin, '127.0.0.1', done));
    const { code, lines } = failedStart(dataDir, {
      GATEWAY_PORT: String(gateway),
      ADMIN_PORT: String(admin),
      WORKER_PORT: String(worker),
    });
    expect(code).toBe(1);
    expect(lines).toHaveLength(1);
    expect(lines[0]).toMatch(`ADMIN_PORT ${String(admin)} is in use on 127.0.0.1`);
    expect(existsSync(join(dataDir, 'postgres'))).toBe(false);
  });

  it('reports the invalid settings of all processes at once, with their processes', async () => {
    const [gateway, admin] = await Promise.all([freePort(), freePort()]);
    const { code, lines } = failedStart(dataDir, {
      GATEWAY_PORT: String(gateway),
      ADMIN_PORT: String(admin),
      REQUEST_TIMEOUT: 'soon',
      DB_POOL_SIZE: '1000',
      LOG_RETENTION_DAYS: 'forever',
      INVITE_DAYS: '0',
      BLOCK_INLINE_CONFIG: 'perhaps',
    });
    expect(code).toBe(1);
    const wrong = (name: string, rule: string, whose: string): string =>
      `tollgate: ${name} must be ${rule} (${whose}).`;
    expect(lines.sort()).toEqual([
      wrong('BLOCK_INLINE_CONFIG', 'true or false (also: on, off, 1, 0, yes, no)', 'gateway, admin-api'),
      wrong('DB_POOL_SIZE', 'a whole number from 1 to 200', 'worker'),
      wrong('INVITE_DAYS', 'a whole number from 1 to 90', 'admin-api'),
      wrong('LOG_RETENTION_DAYS', 'a whole number from 1 to 3650', 'worker'),
      wrong('REQUEST_TIMEOUT', 'a whole number from 1 to 3600000', 'gateway'),
    ]);
  });

  it('reports the process that failed, with its own message', async () => {
    const [gateway, admin] = await Promise.all([freePort(), freePort()]);
    // A file where the gateway must create a folder.
    writeFileSync(join(dataDir, 'gateway'), '');
    const { code, lines } = failedStart(dataDir, {
      GATEWAY_PORT: String(gateway),
      ADMIN_PORT: String(admin),
    });
    expect(code).toBe(1);
    expect(lines).toHaveLength(1);
    expect(lines[0]).toMatch(/gateway failed to start \(exit code 1\): .*\/gateway/);
  });
});

describe('running product', () => {
  let product: Product;

  beforeAll(async () => {
    product = await startProduct();
  });

  afterAll(async () => {
    await product.stop();
  });

  const isHealthy = async (): Promise<boolean> => {
    const [gateway, admin] = await Promise.all([
      fetch(`${product.baseUrl}/health`),
      fetch(`${product.adminUrl}/health`),
    ]);
    return gateway.ok && admin.ok;
  };

  /** Runs the curl command of the banner, as printed, in a shell. */
  const runBannerCurl = (): unknown => {
    const command = /^curl .*?\}'$/ms.exec(product.printed)?.[0] ?? 'false';
    const { stdout } = spawnSync('sh', ['-c', command.replace('curl ', 'curl -s ')], { encoding: 'utf8' });
    return JSON.parse(stdout);
  };

  it('responds to the curl command of its banner', () => {
    expect(runBannerCurl()).toMatchObject({ object: 'chat.completion' });
  });

  it('prints a link that signs the owner in once, and has its token in no log', async () => {
    const [, address = '', token = ''] = /^  Console +(http\S+)#claim=(\w{48})$/m.exec(product.printed) ?? [];
    expect(address).toBe(`${product.adminUrl}/console/`);
    const claim = (): Promise<Response> =>
      fetch(`${product.adminUrl}/v1/auth/claim`, {
        method: 'POST',
        headers: { 'content-type': 'application/json', 'x-gw-console': '1' },
        body: JSON.stringify({ token }),
      });
    const opened = await claim();
    expect(await opened.json()).toMatchObject({ object: 'user', email: product.credentials.owner_email });
    const cookie = opened.headers.get('set-cookie')?.split(';', 1)[0] ?? '';
    const bootstrap = await fetch(`${product.adminUrl}/v1/console/bootstrap`, {
      headers: { cookie, 'x-gw-console': '1' },
    });
    const gateway = product.baseUrl.replace(/\/v1$/, '');
    expect(await bootstrap.json()).toMatchObject({ needs_password: true, gateway_url: gateway });
    expect((await claim()).status).toBe(401);
    const logs = join(product.dataDir, 'logs');
    const texts = readdirSync(logs).map((name) => readFileSync(join(logs, name), 'utf8'));
    expect(texts.length).toBeGreaterThan(3);
    expect(texts.filter((text) => text.includes(token))).toEqual([]);
  });

  it('shows the cost of the banner request at the invented prices of the sandbox', async () => {
    const { usage } = runBannerCurl() as { usage: { prompt_tokens: number; completion_tokens: number } };
    const headers = { 'x-gw-api-key': product.credentials.api_key };
    const log = await eventually(async () => {
      const response = await fetch(`${product.baseUrl}/logs?page_size=1`, { headers });
      const { data } = (await response.json()) as { data: { priced: string; cost_exact: string }[] };
      return data[0];
    });
    // 0.10 and 0.40 USD per million tokens, in units of 1e-8 USD.
    const cost = 10 * usage.prompt_tokens + 40 * usage.completion_tokens;
    expect(cost).toBeGreaterThan(0);
    expect(log).toMatchObject({ priced: 'priced', cost_exact: String(cost) });
  });

  it('lets pages of the admin API, which serves the console, call the gateway', async () => {
    const port = new URL(product.adminUrl).port;
    for (const [host, allowed] of [
      ['127.0.0.1', true],
      ['localhost', true],
      ['console.example.com', false],
    ] as const) {
      const origin = `http://${host}:${port}`;
      const response = await fetch(`${product.baseUrl}/chat/completions`, {
        method: 'OPTIONS',
        headers: {
          origin,
          'access-control-request-method': 'POST',
          'access-control-request-headers': 'x-gw-api-key',
        },
      });
      expect([origin, response.headers.get('access-control-allow-origin')]).toEqual([
        origin,
        allowed ? origin : null,
      ]);
    }
  });

  it('makes its secrets and credentials readable only for its own user', () => {
    for (const file of ['secrets.json', 'credentials.json']) {
      expect(statSync(join(product.dataDir, file)).mode & 0o777).toBe(0o600);
    }
    expect(product.baseUrl).toMatch(/\/v1$/);
  });

  it('refuses a second start on the same data, whatever TMPDIR is, and keeps running', async () => {
    const [gateway, admin] = await Promise.all([freePort(), freePort()]);
    const otherTmp = mkdtempSync(join(tmpdir(), 'tollgate-tmp-'));
    for (const TMPDIR of [tmpdir(), otherTmp]) {
      const { code, lines } = failedStart(product.dataDir, {
        GATEWAY_PORT: String(gateway),
        ADMIN_PORT: String(admin),
        TMPDIR,
      });
      expect(code).toBe(1);
      expect(lines).toEqual([
        `tollgate: DATA_DIR ${product.dataDir} is in use by another running Tollgate: stop it, or set DATA_DIR to another folder.`,
      ]);
    }
    rmSync(otherTmp, { recursive: true });
    expect(await isHealthy()).toBe(true);
  });

  it('runs next to a second product with its own data folder and two ports', async () => {
    const second = await startProduct({ environment: { WORKER_PORT: '' } });
    try {
      const post = (of: Product): Promise<Response> =>
        fetch(`${of.baseUrl}/chat/completions`, {
          method: 'POST',
          headers: {
            'content-type': 'application/json',
            'x-gw-api-key': of.credentials.api_key,
            'x-gw-provider': '@sandbox',
          },
          body: JSON.stringify({ model: 'sandbox-small', messages: [{ role: 'user', content: 'Hi' }] }),
        });
      expect([(await post(product)).status, (await post(second)).status]).toEqual([200, 200]);
    } finally {
      await second.stop();
    }
  });

  it('does not pass the database address to the gateway', () => {
    if (process.platform !== 'linux') return;
    const environment = readFileSync(`/proc/${String(product.pidOf('gateway'))}/environ`, 'utf8');
    expect(environment).toContain('SERVICE_TOKEN=');
    expect(environment).not.toContain('postgres://');
  });

  it('gives the gateway real-time priority where the machine permits it', () => {
    const policyOf = (name: ProductProcess): string => schedulingPolicy(product.pidOf(name) ?? 0);
    const first = availableParallelism() > 1 && mayScheduleFirst() ? 'rr' : 'other';
    expect([policyOf('gateway'), policyOf('worker'), policyOf('postgres')]).toEqual([
      first,
      'other',
      'other',
    ]);
  });

  it('restarts a killed gateway', async () => {
    await product.restart('gateway');
    expect(await isHealthy()).toBe(true);
  });

  it('restarts a killed Postgres, and the admin API keeps working', async () => {
    const before = await product.kill('postgres');
    await eventually(() => ![null, before].includes(product.pidOf('postgres')), { timeoutMs: 90_000 });
    const url = `${product.adminUrl}/v1/configs`;
    const headers = { 'x-gw-api-key': product.credentials.api_key };
    await eventually(async () => (await fetch(url, { headers })).ok, { timeoutMs: 90_000 });
  });

  it('does not restart a deliberately stopped process until its start is requested', async () => {
    await product.stopProcess('worker');
    await product.startStopped();
    expect(product.pidOf('worker')).not.toBeNull();
  });

  it('starts again after a killed launcher, with the same data', async () => {
    const { credentials, dataDir } = product;
    const children = (['gateway', 'admin-api', 'worker'] as const).map((name) => Number(product.pidOf(name)));
    await product.kill('launcher');
    await eventually(() => children.every((pid) => !isAlive(pid)), { timeoutMs: 90_000 });
    product = await startProduct({ dataDir });
    expect(product.credentials.api_key).toBe(credentials.api_key);
    expect(runBannerCurl()).toMatchObject({ object: 'chat.completion' });
  });

  it('stops everything on Ctrl-C with exit code 0, and starts again with its data', async () => {
    const pids = (['postgres', 'gateway', 'admin-api', 'worker'] as const).map((name) =>
      Number(product.pidOf(name)),
    );
    expect(await product.stop({ keepData: true })).toBe(0);
    expect(pids.filter(isAlive)).toEqual([]);
    product = await startProduct({ dataDir: product.dataDir });
    expect(await isHealthy()).toBe(true);
  });
});

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch {
    return false;
  }
}

it('starts as root in a folder that only root may enter', async () => {
  if (process.getuid?.() !== 0) return;
  const outer = mkdtempSync(join(tmpdir(), 'tollgate-private-'));
  chmodSync(outer, 0o700);
  const product = await startProduct({ dataDir: join(outer, 'data') });
  expect((await fetch(`${product.baseUrl}/health`)).ok).toBe(true);
  await product.stop({ keepData: true });
  for (const path of [realpathSync(join(outer, 'data', 'postgres')), outer])
    rmSync(path, { recursive: true });
});
