import { TestAdminApi } from './spec-support/admin-api';
import type { Failure } from './spec-support/api-keys';
import { dealt } from './spec-support/dealt';
import { sharedIntegration } from './spec-support/places';
import { severalAtATime } from './spec-support/several-at-a-time';

interface Schema {
  readonly type?: string;
  readonly format?: string;
  readonly enum?: readonly string[];
  readonly minimum?: number;
  readonly maximum?: number;
  readonly minLength?: number;
  readonly maxLength?: number;
  readonly maxItems?: number;
  readonly items?: Schema;
}

interface Parameter {
  readonly name: string;
  readonly in: string;
  readonly required?: boolean;
  readonly schema: Schema;
}

const admin = new TestAdminApi();
const ours = admin.sharedTenant();
const ids: Record<string, string> = {};
/** Access token of an owner. */
let session = '';

beforeAll(async () => {
  session = await admin.login((await admin.user(ours.organisationId, 'owner')).email);
  ids['workspaceId'] = ours.workspaceId;
  ids['integration'] = await sharedIntegration(admin, ours);
});

const UUID = '3fa85f64-5717-4562-b3fc-2c963f66afa6';
const NUL = '%00';

const NO_INTEGERS = [
  'abc',
  '',
  '1.5',
  '1e1',
  '0x10',
  '%2010',
  '10%20',
  '%2B10',
  '1,000',
  'NaN',
  'Infinity',
  'null',
  '٣',
  '-1',
  '99999999999999999999',
];
const NO_NUMBERS = ['abc', '', '-1', '1e3', 'NaN', 'Infinity', '0x10', '1,5', '99999999999999999999'];
const NO_BOOLEANS = ['maybe', '', 'yes', '2', 'null', '%20true'];
const NO_UUIDS = [
  'notauuid',
  ',',
  '',
  `{${UUID}}`,
  `${UUID}'`,
  '*',
  'null',
  UUID.replaceAll('-', ''),
  `${UUID}0`,
  'ａ',
];
const NO_DATES = [
  ...[
    'yesterday',
    '',
    '0',
    '1770000000',
    '2026-05-03',
    '2026-13-01T00:00:00Z',
    '2026-02-30T00:00:00Z',
    '2025-02-29T00:00:00Z',
  ],
  ...[
    '2026-05-03T25:00:00Z',
    '2026-05-03T17:08:55',
    '2026-W18-1T00:00:00Z',
    '2026-123T00:00:00Z',
    '%2B275760-09-13T00:00:00Z',
  ],
  ...[
    '2026-05-03T17:08:55%2B99:99',
    '2026-05-03 17:08:55Z',
    '2026-05-03T17:08:60Z',
    '-000001-01-01T00:00:00Z',
    'null',
    NUL,
  ],
];

/** Some numbers may be negative. */
const isWithin = (value: string, { minimum = 0 }: Schema): boolean =>
  /^-\d+$/.test(value) && Number(value) >= minimum;

/** Returns values outside the documented bounds. */
function badValues(schema: Schema): string[] {
  const { type, format } = schema;
  if (schema.enum) {
    const upper = schema.enum.map((one) => one.toUpperCase()).filter((one) => !schema.enum?.includes(one));
    return ['nosuch', '', NUL, ...upper];
  }
  if (type === 'array') return arrayValues(schema);
  if (type === 'boolean') return NO_BOOLEANS;
  if (type === 'integer') return [...NO_INTEGERS, ...outOfRange(schema)];
  if (type === 'number') return NO_NUMBERS.filter((value) => !isWithin(value, schema));
  if (format === 'date-time') return NO_DATES;
  return format === 'uuid' ? NO_UUIDS : badTexts(schema);
}

function outOfRange({ minimum, maximum = Number.MAX_SAFE_INTEGER }: Schema): string[] {
  const below = minimum === undefined ? [] : [String(minimum - 1)];
  // Above the largest exact integer, adding one gives no larger number.
  return [...below, maximum === Number.MAX_SAFE_INTEGER ? '9007199254740993' : String(maximum + 1)];
}

function badTexts({ minLength = 0, maxLength }: Schema): string[] {
  const tooLong = ['a', '😀'].map((one) => encodeURIComponent(one.repeat((maxLength ?? 0) + 1)));
  return [NUL, ...(minLength > 0 ? [''] : []), ...(maxLength === undefined ? [] : tooLong)];
}

function arrayValues({ items = {}, maxItems }: Schema): string[] {
  const single = badValues(items).filter((value) => value.length < 2_000);
  const many = maxItems === undefined ? [] : [Array.from({ length: maxItems + 1 }, () => UUID).join(',')];
  return [...single, ...many];
}

/** Values that break careless code. The route decides whether they are valid. */
const HOSTILE = [
  ...[
    "'%20OR%201=1--",
    "';SELECT%20pg_sleep(3)--",
    '%25',
    '_',
    '%5C',
    '%5C%5C',
    '*',
    '%22',
    '%F0%9F%98%80',
    '%ff',
    '%c3%28',
    '%',
  ],
  ...[
    '__proto__',
    'constructor',
    '%7B%7D',
    '%5B%5D',
    '%7B%22a%22:',
    'null',
    'undefined',
    '-0',
    '%E2%80%AE',
    '%EF%BD%81',
    '%0d%0a',
    'a&b=c',
  ],
];

/** Whether a parameter is free text or a list of it; other kinds accept only specific values. */
const isText = ({ schema }: Parameter): boolean => {
  const { type, format, enum: values } = schema.items ?? schema;
  return type === 'string' && format === undefined && values === undefined;
};

/** Lists by handler: aliases of a path share one handler. */
interface Queried {
  readonly path: string;
  readonly parameters: Parameter[];
}
let known: Queried[] | undefined;
const queried = (): Queried[] => (known ??= readQueried());

function readQueried(): Queried[] {
  const seen = new Set<string>();
  return Object.entries(admin.api.document.paths).flatMap(([path, item]) => {
    const { get } = item as { get?: { operationId: string; parameters?: Parameter[] } };
    const parameters = (get?.parameters ?? []).filter((one) => one.in === 'query');
    // All graphs share one query class, so one graph is enough.
    const handler = get?.operationId.split('__', 1)[0]?.replace(/^(analyticsGraphs)_.*/, '$1') ?? '';
    if (parameters.length === 0 || seen.has(handler)) return [];
    seen.add(handler);
    return [{ path, parameters }];
  });
}

/** Parameters with the same name and rule, and the paths that have them. */
interface ParameterClass {
  readonly one: Parameter;
  readonly paths: string[];
}

function classesOf(isMeant: (one: Parameter) => boolean): ParameterClass[] {
  const classes = new Map<string, ParameterClass>();
  for (const { path, parameters } of queried()) {
    for (const one of parameters.filter(isMeant)) {
      const name = `${one.name} ${JSON.stringify(one.schema)}`;
      const known = classes.get(name) ?? { one, paths: [] };
      known.paths.push(path);
      classes.set(name, known);
    }
  }
  return [...classes.values()];
}

const urlOf = (path: string): string =>
  path.replaceAll(/\{(\w+)\}/g, (_all, name: string) => ids[name] ?? '018f0000-0000-7000-8000-000000000000');

/** Returns the required parameters except the one under test. All of them are times. */
const requiredBeside = (parameters: readonly Parameter[], query: string): string =>
  parameters
    .filter(({ name, required }) => required === true && !query.startsWith(name))
    .map(({ name }) => `&${name}=2026-01-01T00:00:00Z`)
    .join('');

async function ask(
  path: string,
  query: string,
  workspace: boolean,
): Promise<{ status: number; param: string | null }> {
  const parameters = queried().find((list) => list.path === path)?.parameters ?? [];
  const isTail = parameters.some(({ name }) => name === 'max_seconds');
  const short = isTail && !query.startsWith('max_seconds') ? '&max_seconds=1' : '';
  const named = `${short}${requiredBeside(parameters, query)}${workspace ? `&workspace_id=${ours.workspaceId}` : ''}`;
  const { status, body } = await admin.get<Partial<Failure>>(`${urlOf(path)}?${query}${named}`, {
    // Routes of the caller's own account accept only sessions.
    ...(path.startsWith('/v1/auth/') ? { token: session } : { key: ours.adminKey }),
  });
  return { status, param: body.error?.param ?? null };
}

describe('documented query parameters', () => {
  it('exist on many routes', () => {
    expect(queried().length).toBeGreaterThanOrEqual(9);
  });

  it('are refused by name when out of bounds, on every route that has them', async () => {
    // Excludes workspace parameters: the workspace is looked up first, and an unknown one is a 404.
    const requested = classesOf(({ name }) => name !== 'workspace_id' && name !== 'workspace_slug').flatMap(
      ({ one: { name, schema }, paths }) =>
        dealt(paths, badValues(schema), 3).map(([path, value]) => ({ path, name, value })),
    );
    await severalAtATime(requested, async ({ path, name, value }) => {
      const { status, param } = await ask(path, `${name}=${value}`, true);
      const reported = [path, name, value.slice(0, 60)];
      expect([...reported, status, param?.split('.')[0]]).toEqual([...reported, 400, name]);
    });
  }, 240_000);

  it('are refused with brackets, and when a single value is sent twice', async () => {
    const requested = classesOf(() => true).flatMap(({ one: { name, schema }, paths }) => {
      // Routes for a single resource accept only workspace_id, without a query class.
      const brackets = name === 'workspace_id' ? [] : [`${name}[]=1`, `${name}[a]=1`, `${name}%5B0%5D=1`];
      const twice = schema.type === 'array' ? [] : [`${name}=1&${name}=2`];
      const queries = [...dealt(paths, brackets, 1), ...dealt(paths, twice, 1)];
      return queries.map(([path, query]) => ({ path, name, query }));
    });
    await severalAtATime(requested, async ({ path, name, query }) => {
      const { status, param } = await ask(path, query, name !== 'workspace_id');
      expect([path, query, status, param]).toEqual([path, query, 400, name]);
    });
  }, 240_000);

  it('cause no server error and always get a response, whatever their value', async () => {
    // Each handler processes text differently, so each parameter gets a third of the values.
    const texts = classesOf(isText).flatMap(({ one: { name }, paths }) =>
      dealt(paths, HOSTILE, HOSTILE.length / 3).map(([path, value]) => ({ path, name, value })),
    );
    const lists = queried().map(({ path }) => path);
    const unknown = dealt(lists, HOSTILE, 1).map(([path, value]) => ({ path, name: '__proto__', value }));
    const requested = [...texts, ...unknown];
    await severalAtATime(requested, async ({ path, name, value }) => {
      const { status } = await ask(path, `${name}=${value}`, name !== 'workspace_id');
      const isResponse = [200, 400, 403, 404].includes(status);
      expect([path, name, value, isResponse || status]).toEqual([path, name, value, true]);
    });
  }, 240_000);
});
