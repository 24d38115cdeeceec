import { spawnSync } from 'node:child_process';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';

type Process = 'gateway' | 'admin-api' | 'worker';

interface Row {
  readonly name: string;
  readonly processes: readonly Process[];
  /** A secret that must never be printed. */
  readonly bad: string;
  readonly rule: string;
  readonly good: string;
}

const ALL: readonly Process[] = ['gateway', 'admin-api', 'worker'];
const WITH_DATABASE: readonly Process[] = ['admin-api', 'worker'];
const SWITCH = 'must be true or false (also: on, off, 1, 0, yes, no)';
const ADDRESS = 'must be a URL that starts with http:// or https://';
const DAYS = 'must be a whole number from 1 to 36500';

const row = (
  name: string,
  processes: readonly Process[],
  [bad, rule]: readonly [string, string],
  good: string,
): Row => ({ name, processes, bad, rule, good });

/** The self-hosted settings of the interface specification, with the processes that use each. */
const SETTINGS: readonly Row[] = [
  row('REQUEST_TIMEOUT', ['gateway'], ['1.5s', 'must be a whole number from 1 to 3600000'], '30000'),
  row('HTTPS_PROXY', ALL, ['socks5://u:hidden@proxy', ADDRESS], 'http://u:p%40@proxy.example:3128'),
  row('HTTP_PROXY', ALL, ['http://u:hid%den@proxy', 'must have its credentials percent-encoded'], 'http://p'),
  row(
    'NO_PROXY',
    ALL,
    ['10.0.0.0/99', 'must be hosts, addresses and CIDR ranges separated by commas, or *'],
    'localhost, .example.org, *.svc.internal, 10.0.0.0/8, [::1]:8000, fd00::/8, a.example:443',
  ),
  row(
    'TRUSTED_CUSTOM_HOSTS',
    ALL,
    ['10.0.0.0/8', 'must be host names, *.domain and addresses separated by commas; not * and no ranges'],
    'localhost,*.corp.example,10.0.0.7,::1,http://llm.internal:8000/v1',
  ),
  row(
    'API_KEY_PREFIX',
    WITH_DATABASE,
    ['a b', 'must be 1 to 32 characters of A-Z, a-z, 0-9, _ and -'],
    'gw-',
  ),
  row('BLOCK_INLINE_CONFIG', ['gateway', 'admin-api'], ['perhaps', SWITCH], 'true'),
  ...['MEMBERSHIP_USER_MODE', 'CREATE_UPSERT', 'BULK', 'PUBLIC_DISCOVERY'].map((name) =>
    row(`SCIM_${name}`, ['admin-api'], ['USER', SWITCH], 'ON'),
  ),
  row(
    'DNS_SERVERS',
    WITH_DATABASE,
    ['dns.example', 'must be IP addresses separated by commas, with or without a port'],
    '10.0.0.53, [fd00::53]:5353',
  ),
  row(
    'DB_SSL',
    WITH_DATABASE,
    ['SOMETIMES', 'must be one of DISABLED, PREFERRED, REQUIRED, VERIFY_CA, VERIFY_IDENTITY, MANAGED_BUNDLE'],
    'verify_ca',
  ),
  row('DB_SSL_CA', WITH_DATABASE, ['-----BEGIN CERTIFICATE-----', 'must hold a certificate in PEM'], ''),
  row(
    'DB_SSL_CERT',
    WITH_DATABASE,
    ['/no/such.pem', 'must be a certificate in PEM, or the path of a file that can be read'],
    '',
  ),
  row('DB_SSL_KEY', WITH_DATABASE, ['-----BEGIN PRIVATE KEY-----', 'must hold a private key in PEM'], ''),
  row('DB_POOL_SIZE', ['admin-api'], ['0', 'must be a whole number from 2 to 1000'], '12'),
  row('DB_POOL_SIZE', ['worker'], ['0', 'must be a whole number from 1 to 200'], '12'),
  row('LOG_RETENTION_DISPLAY', ['admin-api'], ['forever', DAYS], '90'),
  row('METRICS_RETENTION_DISPLAY', ['admin-api'], ['0', DAYS], '365'),
  ...['GUARDRAILS', 'API_ACCESS', 'USAGE_LIMITS', 'SCIM', 'POLICY'].map((feature) =>
    row(`${feature}_ENABLED`, ['admin-api'], ['perhaps', SWITCH], 'OFF'),
  ),
  row('AUDIT_LOGS_ENABLED', WITH_DATABASE, ['perhaps', SWITCH], 'OFF'),
  row('DATA_EXPORTS_ENABLED', WITH_DATABASE, ['perhaps', SWITCH], 'OFF'),
  row('MODEL_CONFIGS_PROXY_FETCH_ENABLED', ['gateway', 'worker'], ['perhaps', SWITCH], 'ON'),
  row(
    'MODEL_CONFIGS_PROXY_URL',
    ['gateway', 'worker'],
    ['configs.example', 'must be a URL that starts with https:// or http://'],
    'https://c.example',
  ),
  ...['PRICING_LOG_STORE', 'CAPABILITIES_LOG_STORE', 'CAPABILITIES_LOCAL', 'PRICING_LOCAL'].map((source) =>
    row(
      `MODEL_CONFIGS_${source}_PATH`,
      ['gateway', 'worker'],
      ['/no/such/folder', 'must be the path of a folder that can be read'],
      tmpdir(),
    ),
  ),
];

const NEEDED = {
  DATABASE_URL: 'postgres://127.0.0.1:1/none',
  ENCRYPTION_KEY: Buffer.alloc(32, 1).toString('base64'),
  SERVICE_TOKEN: 'service-token-of-the-settings-e2e-spec',
};

/** Returns the output lines of a built process that must exit by itself. */
function failedStart(name: Process, environment: Readonly<Record<string, string>>): string[] {
  const main = resolve(__dirname, '..', 'dist', name, 'apps', name, 'src', 'main.js');
  const { status, stderr, stdout } = spawnSync(process.execPath, [main], {
    env: { ...NEEDED, DATA_DIR: join(tmpdir(), 'never-made'), ...environment },
    encoding: 'utf8',
    timeout: 120_000,
  });
  expect([status, stdout]).toEqual([1, '']);
  return stderr.trim().split('\n');
}

describe.each(ALL)('self-hosted settings of the %s', (name) => {
  const rows = SETTINGS.filter(({ processes }) => processes.includes(name));

  it('[ENV-09] stop the start when invalid, with one line each that has the name and the rule but not the value', () => {
    const lines = failedStart(name, Object.fromEntries(rows.map(({ name: one, bad }) => [one, bad])));
    const wanted = rows.map((one) => `${one.name} ${one.rule}`);
    expect([...lines].sort()).toEqual([...wanted].sort());
    expect(lines.join()).not.toContain('hidden');
  });

  it('[ENV-09] are accepted when valid, including proxy credentials and a member mode of SCIM', () => {
    const good = Object.fromEntries(rows.map(({ name: one, good: value }) => [one, value]));
    const lines = failedStart(name, { ...good, SERVICE_TOKEN: 'short' });
    expect(lines).toEqual([expect.stringMatching(/^SERVICE_TOKEN must have at least \d+ characters$/)]);
  });
});
