import fc, { type Arbitrary } from 'fast-check';
import type { GatewayResponse, Call, TestAdminApi } from './admin-api';
import {
  HOSTILE_TEXTS,
  hostile,
  someOf,
  valuesOf,
  type Mischief,
  type Schema,
  type Schemas,
} from './generated-values';

interface Parameter {
  readonly name: string;
  readonly in: string;
  readonly required?: boolean;
  readonly schema?: Schema;
}

/** An operation of the live document, with the schemas of its requests. */
export interface CallableOperation {
  readonly method: string;
  readonly path: string;
  readonly parameters: readonly Parameter[];
  readonly body: Schema | null;
  readonly statuses: readonly string[];
}

interface GeneratedCall {
  readonly method: string;
  readonly url: string;
  readonly statuses: readonly string[];
  readonly by: 'adminKey' | 'key' | 'token' | 'anonymous';
  readonly body: unknown;
  readonly headers: Readonly<Record<string, string>>;
}

/**
 * Number of calls made with one tenant. Calls may delete the resources that later calls need, so a
 * new tenant follows.
 */
const CALLS_OF_A_TENANT = 500;
/** Number of concurrent calls, so that conflicting ones can meet. */
const CALLS_AT_A_TIME = 8;
/** Maximum number of remembered ids of each kind; the newest are kept. */
const KNOWN_MAX = 20;
const HAS_BODY = new Set(['POST', 'PUT', 'PATCH', 'DELETE']);

/**
 * Returns the operations of the document except event streams, which last as long as their caller
 * wants.
 */
export function callableOperationsOf(admin: TestAdminApi): CallableOperation[] {
  return Object.entries(admin.api.document.paths).flatMap(([path, item]) =>
    Object.entries(item as Record<string, Record<string, unknown>>).flatMap(([method, operation]) => {
      if (JSON.stringify(operation['responses']).includes('"text/event-stream"')) return [];
      const body = operation['requestBody'] as
        { readonly content: Readonly<Record<string, { readonly schema: Schema }>> } | undefined;
      return [
        {
          method: method.toUpperCase(),
          path,
          parameters: (operation['parameters'] ?? []) as Parameter[],
          body: body?.content['application/json']?.schema ?? null,
          statuses: Object.keys(operation['responses'] as object),
        },
      ];
    }),
  );
}

/** Encodes text for a URL. A lone surrogate becomes U+FFFD, since it has no UTF-8 encoding. */
const encoded = (text: unknown): string =>
  encodeURIComponent(String(text).replaceAll(/\p{Surrogate}/gu, '\ufffd')).slice(0, 4_000);

const orHostile = (valid: Arbitrary<unknown>, percent: number): Arbitrary<unknown> =>
  fc.oneof(
    { arbitrary: valid, weight: 100 - percent },
    { arbitrary: fc.constantFrom(...HOSTILE_TEXTS), weight: percent },
  );

/** Inputs from which the calls of one tenant are generated. */
interface Surroundings {
  readonly schemas: Schemas;
  /** Known ids and slugs by kind, which is the first segment of the path. */
  readonly known: Map<string, string[]>;
  readonly named: Readonly<Record<string, string>>;
}

const kindOf = (path: string): string => /^\/v[12]\/(?:admin\/)?([^/]+)/.exec(path)?.[1] ?? '';

/** Generates calls: of ten, five are valid by the document, three nearly valid and two hostile. */
const callsOf = (operation: CallableOperation, around: Surroundings): Arbitrary<GeneratedCall> =>
  fc.oneof(
    { arbitrary: callsWith(operation, around, 0), weight: 5 },
    { arbitrary: callsWith(operation, around, 8), weight: 3 },
    { arbitrary: callsWith(operation, around, 60), weight: 2 },
  );

function callsWith(
  operation: CallableOperation,
  around: Surroundings,
  percent: number,
): Arbitrary<GeneratedCall> {
  const { method, path, parameters, body, statuses } = operation;
  const { schemas, named, known } = around;
  const mischief: Mischief = { percent, named, known: [...known.values()].flat() };
  const queries = parameters.filter((one) => one.in === 'query');
  const fields = Object.fromEntries(queries.map((one) => [one.name, one.schema ?? {}]));
  const needed = queries.filter((one) => one.required).map((one) => one.name);
  const inQuery = (schema: unknown): Arbitrary<unknown> =>
    orHostile(valuesOf(schema as Schema, schemas, mischief), percent);
  const stray = fc.oneof(
    { arbitrary: fc.constant(undefined), weight: 9 },
    { arbitrary: hostile, weight: percent },
  );
  const sent = body ? valuesOf(body, schemas, mischief) : stray;
  return fc
    .record({
      ids: pathValues(path, around, percent),
      query: someOf(fields, needed, inQuery, mischief),
      body: HAS_BODY.has(method) ? sent : fc.constant(undefined),
      by: fc.constantFrom('adminKey', 'adminKey', 'adminKey', 'key', 'key', 'key', 'token', 'anonymous'),
      headers: headersOf(percent),
    })
    .map(({ ids, query, ...made }) => ({ method, statuses, ...made, url: urlOf(path, ids, query) }));
}

function pathValues(path: string, { known }: Surroundings, percent: number): Arbitrary<unknown[]> {
  const ofKind = known.get(kindOf(path)) ?? [];
  const all = [...known.values()].flat();
  const ids = fc.oneof(
    { arbitrary: fc.uuid(), weight: 1 },
    ...(all.length === 0 ? [] : [{ arbitrary: fc.constantFrom(...all), weight: 1 }]),
    ...(ofKind.length === 0 ? [] : [{ arbitrary: fc.constantFrom(...ofKind), weight: 10 }]),
  );
  const choices: Readonly<Record<string, Arbitrary<unknown>>> = {
    type: fc.constantFrom('workspace', 'organisation'),
    subType: fc.constantFrom('service', 'user'),
    version: fc.oneof(fc.constantFrom('1', '2'), ids),
  };
  const names = [...path.matchAll(/\{([^}]+)\}/g)].map(([, name]) => name ?? '');
  return fc.tuple(...names.map((name) => orHostile(choices[name] ?? ids, percent)));
}

function headersOf(percent: number): Arbitrary<Readonly<Record<string, string>>> {
  const odd = fc.constantFrom<Readonly<Record<string, string>>>(
    ...['"1"', '*', 'W/"1"', '"', '"x", "1"', ''].map((tag) => ({ 'if-match': tag })),
    ...['text/plain', 'application/json; charset=utf-16', 'x'].map((type) => ({ 'content-type': type })),
    { accept: 'text/html' },
    { 'x-request-id': 'x'.repeat(300) },
  );
  return fc.oneof({ arbitrary: fc.constant({}), weight: 100 }, { arbitrary: odd, weight: percent / 2 });
}

/** A fixed range of time, because two generated times are rarely in order and close enough. */
const PERIOD = {
  time_of_generation_min: '2026-01-01T00:00:00Z',
  time_of_generation_max: '2026-01-02T00:00:00Z',
};

function urlOf(path: string, ids: readonly unknown[], query: Readonly<Record<string, unknown>>): string {
  let next = 0;
  const filled = path.replaceAll(/\{[^}]+\}/g, () => encoded(ids[next++]));
  const pairs = Object.entries(query).flatMap(([name, value]) =>
    [value]
      .flat()
      .map((item) => `${name}=${encoded(typeof item === 'object' ? JSON.stringify(item) : item)}`),
  );
  return pairs.length === 0 ? filled : `${filled}?${pairs.join('&')}`;
}

/** Remembers the ids and slugs of a response, for use in later calls. */
function remember({ known }: Surroundings, url: string, body: unknown): void {
  const kind = kindOf(url);
  const ids = known.get(kind) ?? [];
  for (const [, id] of JSON.stringify(body).matchAll(/"(?:id|slug)":"([^"]{1,255})"/g)) {
    if (id !== undefined && !ids.includes(id)) ids.push(id);
  }
  known.set(kind, ids.slice(-KNOWN_MAX));
}

/**
 * Makes `count` calls generated from the document, and returns the faults: a status of 500 or
 * above, an undocumented status, or a body that does not match its schema. Equal seeds make equal
 * calls, except for ids.
 */
export async function faultsOfGeneratedCalls(
  admin: TestAdminApi,
  { count, seed }: { readonly count: number; readonly seed: number },
): Promise<{ readonly faults: string[]; readonly statuses: Readonly<Record<number, number>> }> {
  const schemas = (admin.api.document.components?.schemas ?? {}) as Schemas;
  const operations = callableOperationsOf(admin);
  const faults: string[] = [];
  const statuses: Record<number, number> = {};
  for (let done = 0; done < count;) {
    const tenant = await admin.tenant();
    const { email } = await admin.user(tenant.organisationId, 'owner', { [tenant.workspaceId]: 'admin' });
    const credentials: Record<GeneratedCall['by'], Call> = {
      adminKey: { key: tenant.adminKey },
      key: { key: tenant.key },
      token: { token: await admin.login(email) },
      anonymous: {},
    };
    const around: Surroundings = {
      ...{
        schemas,
        named: { workspace_id: tenant.workspaceId, workspace_slug: tenant.workspaceId, ...PERIOD },
      },
      known: new Map([['workspaces', [tenant.workspaceId]]]),
    };
    const end = Math.min(done + CALLS_OF_A_TENANT, count);
    while (done < end) {
      const turns = Array.from({ length: Math.min(CALLS_AT_A_TIME, end - done) }, (_unused, at) => done + at);
      done += turns.length;
      const calls = turns.flatMap((turn) => {
        // Operations alternate with a stride that reaches all of them and mixes writes with reads.
        const operation = operations[(turn * 101) % operations.length] as CallableOperation;
        return fc.sample(callsOf(operation, around), { seed: seed + turn, numRuns: 1 });
      });
      const made = await Promise.all(calls.map((call) => make(admin, call, credentials[call.by])));
      for (const { call, fault, response } of made) {
        if (fault !== null) faults.push(fault);
        if (!response) continue;
        statuses[response.status] = (statuses[response.status] ?? 0) + 1;
        if (response.status === 200) remember(around, call.url, response.body);
      }
    }
  }
  return { faults, statuses };
}

async function make(
  admin: TestAdminApi,
  call: GeneratedCall,
  credential: Call,
): Promise<{
  readonly call: GeneratedCall;
  readonly fault: string | null;
  readonly response: GatewayResponse | null;
}> {
  const { method, url, statuses, body, headers } = call;
  const reported = `${method} ${url.slice(0, 300)} ${(JSON.stringify(body) ?? '').slice(0, 600)}`;
  try {
    const response = await admin.call(method, url, {
      ...credential,
      headers,
      ...(body === undefined ? {} : { body }),
    });
    const { status, text } = response;
    // The document declares all failures as `default`.
    const isDeclared = statuses.includes(String(status)) || (status >= 400 && statuses.includes('default'));
    const isWrong = status >= 500 || !isDeclared;
    return {
      call,
      response,
      fault: isWrong ? `${reported} answered ${String(status)} ${text.slice(0, 300)}` : null,
    };
  } catch (error) {
    return { call, response: null, fault: `${reported}: ${String(error).slice(0, 600)}` };
  }
}
