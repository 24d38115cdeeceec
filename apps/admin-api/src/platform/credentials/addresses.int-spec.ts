import { readCases } from '@gw/testing';
import { TestAdminApi, type Tenant } from '../../spec-support/admin-api';

interface AddressCase {
  readonly id: string;
  readonly url?: string;
  readonly value?: unknown;
  readonly gen?: {
    readonly prefix: string;
    readonly repeat: string;
    readonly total: number;
    readonly suffix?: string;
  };
  readonly expect: 'accept' | 'reject';
  readonly layer?: 'url' | 'dns';
  readonly trusted?: string;
}

interface Failure {
  readonly error: {
    readonly type: string;
    readonly code: string;
    readonly details?: readonly { path: string }[];
  };
}

const data = readCases('ssrf.json') as {
  readonly cases: readonly AddressCase[];
  readonly trusted_cases: readonly AddressCase[];
};

const urlOf = ({ url, gen, value }: AddressCase): unknown =>
  gen ? gen.prefix.padEnd(gen.total, gen.repeat) + (gen.suffix ?? '') : (url ?? value);

/** Null clears a saved address, so it is not a case of a bad address. */
const cases = data.cases.filter((entry) => entry.layer === 'url' && urlOf(entry) !== null);

/** When a field is not reached because its parent is invalid, the error names the parent. */
const names = (path: string, field: string): boolean =>
  path === 'config' || path.startsWith(field) || field.startsWith(path);

interface Surface {
  readonly field: string;
  readonly save: (url: unknown) => readonly [path: string, body: object];
  /** Ids of cases whose verdict differs for this field. */
  readonly unlike?: readonly string[];
}

/** Each field in which an address can be saved, by the path that an error must name. */
const SURFACES: readonly Surface[] = [
  {
    field: 'configurations.custom_host',
    save: (url) => ['/v1/integrations/surface', { configurations: { custom_host: url } }],
  },
  {
    field: 'models.0.configurations.custom_host',
    save: (url) => [
      '/v1/integrations/surface/integration-models',
      { models: [{ slug: 'm', configurations: { custom_host: url } }] },
    ],
  },
  {
    field: 'custom_host',
    save: (url) => [`/v1/virtual-keys/${virtualKey}`, { custom_host: url }],
  },
  {
    field: 'targets.0.custom_host',
    unlike: ['ssrf-034'], // The address in a config may not have a query string.
    save: (url) => [
      `/v1/configs/${config}`,
      { config: { strategy: { mode: 'single' }, targets: [{ provider: 'openai', custom_host: url }] } },
    ],
  },
];

let virtualKey: string;
let config: string;

async function prepare(api: TestAdminApi): Promise<Tenant> {
  const tenant = await api.tenant();
  const integration = { name: 'Surface', slug: 'surface', ai_provider_id: 'sandbox' };
  await api.post('/v1/integrations', { key: tenant.key, body: integration });
  const created = await api.post<{ data: { slug: string } }>('/v1/virtual-keys', {
    key: tenant.key,
    body: { name: 'Surface', provider: 'sandbox' },
  });
  virtualKey = created.body.data.slug;
  const saved = await api.post<{ slug: string }>('/v1/configs', {
    key: tenant.key,
    body: { name: 'Surface', config: { provider: 'openai' } },
  });
  config = saved.body.slug;
  return tenant;
}

describe('custom host address', () => {
  const api = new TestAdminApi();
  let tenant: Tenant;
  beforeAll(async () => {
    tenant = await prepare(api);
  });

  it.each(SURFACES)(
    'in $field is validated on save, and an error names the field',
    async ({ field, save, unlike }) => {
      const wrong: unknown[] = [];
      for (const entry of cases) {
        if (unlike?.includes(entry.id)) continue;
        const [url, body] = save(urlOf(entry));
        const response = await api.put<Failure>(url, { key: tenant.key, body });
        const verdict = response.status === 200 ? 'accept' : 'reject';
        const isRight =
          verdict === entry.expect &&
          (verdict === 'accept' ||
            (response.status === 400 &&
              response.body.error.code === 'AB01' &&
              response.body.error.details?.some(({ path }) => names(path, field))));
        if (!isRight)
          wrong.push([
            entry.id,
            String(urlOf(entry)).slice(0, 80),
            entry.expect,
            response.status,
            response.body.error,
          ]);
      }
      expect(wrong).toEqual([]);
      expect(cases.length).toBeGreaterThan(300);
    },
  );
});

const TRUSTED = 'localhost,127.0.0.1,::1,host.docker.internal,172.31.2.45,*.svc.internal';
describe(`with TRUSTED_CUSTOM_HOSTS=${TRUSTED}`, () => {
  const api = new TestAdminApi({ TRUSTED_CUSTOM_HOSTS: TRUSTED });
  let tenant: Tenant;
  beforeAll(async () => {
    tenant = await prepare(api);
  });

  const own = data.trusted_cases.filter((entry) => entry.trusted === TRUSTED);
  it.each(own.map((entry) => [entry.id, entry] as const))(
    'gets the expected verdict for %s in every field',
    async (_id, entry) => {
      for (const { save } of SURFACES) {
        const [url, body] = save(urlOf(entry));
        const { status } = await api.put(url, { key: tenant.key, body });
        expect([url, status]).toEqual([url, entry.expect === 'accept' ? 200 : 400]);
      }
    },
  );
});
