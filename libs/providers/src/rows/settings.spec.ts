import { GatewayError } from '@gw/kernel';
import { catalogueProvider } from '../catalogue';
import { PROVIDERS } from '../registry';
import type { Provider } from '../provider';
import { PROVIDER_ROWS } from '.';
import { fieldsOf } from './settings';

const HOSTILE = [
  'evil.com/',
  'evil.com#',
  'a.b',
  'a@evil.com',
  'a:1',
  '..',
  '.',
  '%2e',
  '%2e%2e',
  'a%2fb',
  'a/b',
  'a\\b',
  'a?b',
  'a\nb',
  'a\n',
  '\ra',
  'a b',
  'é',
  '',
  'x'.repeat(129),
  undefined,
  null,
  5,
  ['a'],
];

/** Settings that satisfy every field of an address. */
const SETTINGS = {
  snowflake_account: 'acme-1',
  cf_account_id: 'acc_1',
  cf_gateway: 'main_1',
  predibase_tenant: 't1',
  workers_ai_account_id: 'w1',
  aws_region: 'us-east-1',
};
const placed = PROVIDER_ROWS.flatMap((row) =>
  fieldsOf(row)
    .filter(({ kind }) => kind === 'label' || kind === 'segment')
    .map(({ name }) => [row.id, name] as const),
);
const addressOf = (id: string, configurations: object, model: string | null = 'm'): string =>
  (PROVIDERS.get(id) as Provider).baseUrl(
    { apiKey: 'k', configurations: { ...SETTINGS, ...configurations } },
    model,
    'chat.completions',
  );

describe('settings in the address of a provider', () => {
  it('covers each setting of an address', () => {
    expect([...new Set(placed.map(([, name]) => name))].sort()).toEqual(Object.keys(SETTINGS).sort());
  });

  it.each(placed)('%s fills in %s when it is one label or one path segment', (id, name) => {
    expect(addressOf(id, { [name]: 'my-1' })).toMatch(/^https:\/\/[a-z0-9.-]+\//);
    expect(new URL(addressOf(id, { [name]: 'my-1' })).href).toContain('my-1');
  });

  it.each(placed.flatMap(([id, name]) => HOSTILE.map((value) => [id, name, value] as const)))(
    '%s refuses the %s %j with a 400 that names it',
    (id, name, value) => {
      const call = (): string => addressOf(id, { [name]: value });
      expect(call).toThrow(GatewayError);
      expect(call).toThrow(`${name} must be one `);
    },
  );

  it.each(['..', '.', 'a/b', '%2e', '', 'a\nb', null])('predibase refuses the model %j', (model) => {
    expect(() => addressOf('predibase', {}, model)).toThrow(/^model must be/);
  });

  it.each(placed)('%s declares %s as a required address field of integrations', (id, name) => {
    const field = catalogueProvider(id)?.fields.find((item) => item.name === name);
    expect(field).toMatchObject({ required: true, secret: false });
  });
});

describe('regions', () => {
  const regional = PROVIDER_ROWS.filter(({ regions }) => regions !== undefined);

  it.each(regional.map((row) => [row.id, row] as const))(
    '%s has an address for each region and offers them to integrations',
    (id, row) => {
      for (const [name, { base, messages }] of Object.entries(row.regions ?? {})) {
        expect(addressOf(id, { provider_region: name })).toBe(base);
        const variant = PROVIDERS.get(id)?.variants?.messages?.provider;
        const credential = { apiKey: null, configurations: { provider_region: name } };
        expect(variant?.baseUrl(credential)).toBe(variant && (messages ?? row.messages ?? base));
      }
      expect(addressOf(id, {})).toBe(row.base);
      const field = catalogueProvider(id)?.fields.find(({ name }) => name === 'provider_region');
      expect(field).toMatchObject({ values: Object.keys(row.regions ?? {}), isAddress: true });
    },
  );

  it('openai serves the EU and the US', () => {
    expect(addressOf('openai', { provider_region: 'eu' })).toBe('https://eu.api.openai.com/v1');
    expect(() => addressOf('openai', { provider_region: 'evil.com/' })).toThrow(/must be one of eu, us/);
  });

  it.each(['mars', 'toString', '__proto__', 5, '../cn'])('refuses the unknown region %j', (region) => {
    expect(() => addressOf('moonshot', { provider_region: region })).toThrow(
      'provider_region must be one of cn.',
    );
  });
});
