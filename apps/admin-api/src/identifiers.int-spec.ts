import { TestAdminApi, type GatewayResponse, type Tenant } from './spec-support/admin-api';
import type { Failure } from './spec-support/api-keys';
import { identifiersOf, titled, type IdentifierCase } from './spec-support/identifiers';
import {
  namePlaces,
  sharedIntegration,
  slugPlaces,
  writeAt,
  type Place,
  type Written,
} from './spec-support/places';

const admin = new TestAdminApi();

function expectRefused(
  { status, body }: GatewayResponse<Failure>,
  { method, path, field }: Place,
  value: unknown,
): void {
  expect([method, path, value, status, status === 400 ? body.error.param : body]).toEqual([
    method,
    path,
    value,
    400,
    field,
  ]);
}

interface BodySchema {
  readonly properties?: Readonly<Record<string, { readonly pattern?: string }>>;
}

const slugs = (expected: IdentifierCase['expect']): IdentifierCase[] =>
  identifiersOf('slug').filter((row) => row.expect === expected);

/** Further values of the same kinds as in the file, which are also refused. */
const BAD_SLUGS: readonly unknown[] = [
  ...['.', '..', 'a.b', 'a%2fb', 'a%00', 'a#b', 'a&b', 'a+b', 'a=b', '$a', '~a', '(a)', 'a|b', '<a>', '`a`'],
  ...[
    'a\u0000',
    'a\t',
    '\r',
    '\u007f',
    'a\u0085',
    'a\u2028',
    '\u00a0a',
    'a\u00ad',
    '\ufeffa',
    '\u200da',
    '\u202ea',
  ],
  ...[
    'é',
    'e\u0301',
    'а',
    'α',
    'ﬁ',
    'ı',
    'İ',
    'ſ',
    '１',
    '٣',
    '中',
    '😀',
    '\ud800',
    '${x}',
    '{{{a}}}',
    'a\\n',
    '\na',
  ],
  ...['__proto__', 'prototype', 'toString', 'valueOf', 'hasOwnProperty', 'isPrototypeOf', '__defineGetter__'],
  ...['a'.repeat(256), 'a'.repeat(100_000), '0193f0aa-0000-7000-8000-000000000000', 5, true, null, ['a'], {}],
];

describe('slugs of the control plane', () => {
  const rejected = slugs('reject');
  const taken = [...slugs('accept'), ...slugs('either')];

  type Check = (at: Place, list: string, tenant: Tenant) => Promise<void>;

  async function eachPlace(check: Check): Promise<void> {
    for (const index of slugPlaces('').keys()) {
      // Each field has a new tenant, since two of the fields share the slugs of a workspace.
      const tenant = await admin.tenant();
      const [at, list] = slugPlaces(await sharedIntegration(admin, tenant))[index] ?? [];
      if (at && list) await check(at, list, tenant);
    }
  }

  const refusing = admin.sharedTenant();
  let refusingPlaces: ReturnType<typeof slugPlaces> = [];
  beforeAll(async () => {
    refusingPlaces = slugPlaces(await sharedIntegration(admin, refusing));
  });
  /** A refused request stores nothing, so one tenant serves all fields. */
  async function eachRefusingPlace(check: Check): Promise<void> {
    for (const [at, list] of refusingPlaces) await check(at, list, refusing);
  }

  it.each(titled(rejected))('refuse a slug as %s says, in every slug field', async (_title, { value }) => {
    await eachRefusingPlace(async (at, _list, tenant) => {
      expectRefused(await writeAt(admin, tenant, at, value), at, value);
    });
  });

  it.each(titled(taken))(
    'accept a slug as %s says, and find the resource by it',
    async (_title, { value }) => {
      await eachPlace(async (at, list, tenant) => {
        expect([at.path, (await writeAt(admin, tenant, at, value)).status]).toEqual([at.path, 200]);
        const { body } = await admin.get(`${list}/${value}`, { key: tenant[at.by] });
        expect(body['slug']).toBe(value);
      });
    },
  );

  it('must consist of ASCII letters, digits, dashes and underscores, and not be names of object members', async () => {
    await eachRefusingPlace(async (at, _list, tenant) => {
      for (const value of BAD_SLUGS) expectRefused(await writeAt(admin, tenant, at, value), at, value);
    });
  });

  it('are case-sensitive', async () => {
    await eachPlace(async (at, _list, tenant) => {
      const statuses: number[] = [];
      for (const value of ['Team', 'team', 'TEAM', 'Team']) {
        statuses.push((await writeAt(admin, tenant, at, value)).status);
      }
      expect(statuses.slice(0, 3)).toEqual([200, 200, 200]);
      expect([400, 409]).toContain(statuses[3]);
    });
  });
});

const NAMES = identifiersOf('display name');
const long = (character: string, length: number): string => character.repeat(length);

/** Accepted names, each with the name that is returned when it is read. */
const GOOD_NAMES: readonly (readonly [written: string, read: string])[] = [
  ['  Team\u3000A\u00a0', 'Team A'],
  ['Cafe\u0301', 'Café'],
  [long('e\u0301', 100), long('é', 100)],
  ['❤\ufe0f', '❤\ufe0f'],
  ['مرحبا', 'مرحبا'],
  [`"'\\%_;--`, `"'\\%_;--`],
  ['{{x}} ${y}', '{{x}} ${y}'],
  ['null', 'null'],
];
const BAD_NAMES: readonly unknown[] = [
  ...['', ' ', '\u3000', '\u200b', '\u200b \u2060', '\ufe0f', '\u00ad', '\u3164', '\u202e'],
  ...[
    'a\nb',
    'a\n',
    '\na',
    'a\tb',
    'a\u0007',
    'a\u007f',
    'a\u0085b',
    'a\u2028b',
    'a\u2029b',
    'a\ud800',
    '\udc00a',
  ],
  // These are longer than they look: variation selectors count, and some letters become two or
  // three in NFC.
  ...[long('a\ufe0f', 255), long('\ufb2c', 255), long('\u0958', 200), long('😀', 256), long('a', 1_000_000)],
  ...[5, null, true, ['a'], { a: 1 }],
];

describe('names of the control plane', () => {
  const ours = admin.sharedTenant();
  let places: Awaited<ReturnType<typeof namePlaces>> = [];
  beforeAll(async () => {
    places = await namePlaces(admin, ours);
  });

  async function readBack(at: Place, list: string | null, written: Written): Promise<unknown> {
    const url = at.method === 'PUT' || !list ? (list ?? '') : `${list}/${written.data?.slug ?? written.id}`;
    const { body } = await admin.get<{ name?: string }>(url, { key: ours[at.by] });
    return body.name;
  }

  it.each(titled(NAMES))(
    '[LIM-01] accept or refuse a name as %s says, in every name field',
    async (_title, row) => {
      for (const [at, list] of places) {
        const response = await writeAt(admin, ours, at, row.value);
        const isTooLong = [...row.value].length > at.max;
        if (row.expect === 'reject' || isTooLong) {
          expectRefused(response, at, row.value);
          continue;
        }
        expect([at.method, at.path, response.status]).toEqual([at.method, at.path, 200]);
        expect(await readBack(at, list, response.body)).toBe(row.value.trim());
      }
    },
  );

  it('return names in NFC, trimmed and with plain spaces', async () => {
    for (const [at, list] of places) {
      for (const [written, read] of GOOD_NAMES) {
        const response = await writeAt(admin, ours, at, written);
        expect([at.path, written, response.status]).toEqual([at.path, written, 200]);
        expect(await readBack(at, list, response.body)).toBe(read);
      }
    }
  });

  it('must be a single visible line, and are counted in code points as stored', async () => {
    for (const [at] of places) {
      for (const value of BAD_NAMES) expectRefused(await writeAt(admin, ours, at, value), at, value);
    }
  });

  it('follow one rule in every documented body, except for models, labels and names of upstream servers', () => {
    const schemas = (admin.api.document.components?.schemas ?? {}) as Readonly<Record<string, BodySchema>>;
    const bodies = Object.entries(schemas).filter(
      ([name]) =>
        /(?:Dto|Body)$/.test(name) &&
        !/^(?:IntegrationModel|ImportMcp|Mcp(?:ServerSwitch|CapabilitySwitch|DecisionItem|ServerInfo)|Created|(?:Create|Update)Label)/.test(
          name,
        ),
    );
    const patternsOf = (...fields: string[]): Set<string> =>
      new Set(
        bodies.flatMap(([name, { properties = {} }]) =>
          fields
            .filter((field) => field in properties)
            .map((field) => properties[field]?.pattern ?? `${name}.${field} has no pattern`),
        ),
      );
    expect(patternsOf('name')).toEqual(new Set([String.raw`^[^\p{Cc}\u2028\u2029]+$`]));
    expect(patternsOf('slug', 'default_provider_slug').size).toBe(1);
  });

  it.each(titled(NAMES))(
    '[CTL-07] of workspaces are plain and never empty for %s',
    async (_title, { value, expect: verdict }) => {
      const response = await admin.post<Written>('/v1/workspaces', {
        key: ours.adminKey,
        body: { name: value },
      });
      if (response.status !== 200)
        return expect([verdict, [...value].length > 128]).not.toEqual(['accept', false]);
      const name = async (format: string): Promise<string> =>
        (
          await admin.get<{ name: string }>(`/v2/workspaces/${response.body.id}?name_format=${format}`, {
            key: ours.adminKey,
          })
        ).body.name;
      expect(await name('display')).toBe(value.trim());
      const plain = await name('plain');
      expect(plain).toMatch(/\S/);
      expect(value.trim().endsWith(plain)).toBe(true);
      return undefined;
    },
  );

  it.each([
    ['🚀 Team', 'Team'],
    ['🚀Team', 'Team'],
    ['Team 🚀', 'Team 🚀'],
    ['👨‍👩‍👧 Family', 'Family'],
    ['🇩🇪 DE', 'DE'],
    ['🏴󠁧󠁢󠁥󠁮󠁧󠁿 England', 'England'],
    ['👍🏽 Good', 'Good'],
    ['☝🏽 One', 'One'],
    ['❤️ Care', 'Care'],
    ['1️⃣ First', 'First'],
    ['🚀', '🚀'],
    ['🚀🚀', '🚀'],
    ['1 Team', '1 Team'],
    ['© Legal', '© Legal'],
    ['# 1', '# 1'],
    ['中文', '中文'],
  ])('[CTL-07] lose one leading emoji in the plain form: %s becomes %s', async (name, plain) => {
    const { body: made } = await admin.post<Written>('/v1/workspaces', {
      key: ours.adminKey,
      body: { name },
    });
    for (const [format, shown] of Object.entries({ display: name, plain })) {
      const query = `?name_format=${format}`;
      const one = await admin.get(`/v2/workspaces/${made.id}${query}`, { key: ours.adminKey });
      expect(one.body['name']).toBe(shown);
      const list = await admin.get<{ data: { name: string }[] }>(`/v2/workspaces${query}&page_size=1`, {
        key: ours.adminKey,
      });
      expect(list.body.data[0]?.name).toBe(shown);
    }
    const gone = await admin.delete(`/v2/workspaces/${made.id}`, {
      key: ours.adminKey,
      body: { name: plain },
    });
    expect(gone.status).toBe(200);
  });
});
