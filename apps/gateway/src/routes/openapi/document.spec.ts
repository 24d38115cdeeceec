import Ajv2020 from 'ajv/dist/2020';
import addFormats from 'ajv-formats';
import { readCases } from '@gw/testing';
import { GatewayHarness } from '../../spec-support/harness';
import { Violations } from '../checks/violations';
import { ROUTE_ROWS } from '../families';
import { documentPath, openApiDocument } from './document';

interface Operation {
  readonly operationId: string;
  readonly security: readonly Readonly<Record<string, unknown>>[];
  readonly parameters?: readonly { readonly $ref?: string; readonly name?: string; readonly in?: string }[];
  readonly requestBody?: {
    readonly content: Readonly<Record<string, { readonly schema: { readonly $ref?: string } }>>;
  };
  readonly responses: Readonly<
    Record<
      string,
      { readonly content: Readonly<Record<string, { readonly schema: { readonly $ref?: string } }>> }
    >
  >;
}

interface BodyCase {
  readonly id: string;
  readonly endpoint: string;
  readonly body?: unknown;
  readonly raw?: string;
}

const PATHS = openApiDocument.paths as Readonly<Record<string, Readonly<Record<string, Operation>>>>;
const SCHEMAS: Readonly<
  Record<
    string,
    { readonly required?: readonly string[]; readonly properties?: Readonly<Record<string, unknown>> }
  >
> = openApiDocument.components.schemas;
const OPERATION_LIST = Object.entries(PATHS).flatMap(([path, item]) =>
  Object.entries(item).map(([method, operation]) => ({ path, method, operation })),
);

/** Validates like a client's tool: by reference into the published document. */
function compiled(): (name: string, value: unknown) => boolean {
  const ajv = new Ajv2020({ strictTypes: false, strictRequired: false, allowUnionTypes: true });
  addFormats(ajv);
  ajv.addVocabulary(['components', 'openapi', 'info', 'servers', 'security', 'paths']);
  ajv.addSchema(JSON.parse(JSON.stringify(openApiDocument)) as object, 'document');
  return (name, value) => ajv.validate({ $ref: `document#/components/schemas/${name}` }, value);
}

const RUN = {
  id: 'run_1',
  object: 'thread.run',
  created_at: 1,
  thread_id: 'thread_1',
  assistant_id: 'asst_1',
  status: 'completed',
  required_action: null,
  last_error: null,
  expires_at: null,
  started_at: 2,
  cancelled_at: null,
  failed_at: null,
  completed_at: 3,
  model: 'm',
  instructions: '',
  tools: [{ type: 'code_interpreter' }],
  metadata: {},
  usage: { prompt_tokens: 1, completion_tokens: 2, total_tokens: 3 },
  incomplete_details: null,
  max_prompt_tokens: null,
  max_completion_tokens: 256,
  truncation_strategy: { type: 'auto', last_messages: null },
  tool_choice: 'auto',
  parallel_tool_calls: true,
  response_format: 'auto',
};

/** Returns the name of the schema of a route's body, or null. */
function schemaNameOf(route: string): string | null {
  const reference = ROUTE_ROWS.find(({ name }) => name === route)?.document.request?.['$ref'];
  return typeof reference === 'string' ? reference.slice(reference.lastIndexOf('/') + 1) : null;
}

describe('OpenAPI document of the gateway', () => {
  const accepts = compiled();

  it('[VER-01] is served without a key at both addresses, in the version of the public interface', async () => {
    const gateway = await GatewayHarness.start();
    for (const path of ['/v1/openapi.json', '/openapi.json']) {
      const response = await fetch(`http://127.0.0.1:${String(gateway.port)}${path}`);
      expect(response.status).toBe(200);
      expect(response.headers.get('content-type')).toContain('application/json');
      expect(await response.json()).toEqual(JSON.parse(JSON.stringify(openApiDocument)));
      expect((await fetch(response.url, { method: 'POST' })).status).toBe(405);
    }
    expect(openApiDocument.info.version).toBe('2.0.0');
    expect(openApiDocument.servers).toEqual([{ url: '/v1' }]);
    await gateway.stop();
  });

  it('has every status of the health paths', () => {
    const statuses = (path: string): string[] => Object.keys(PATHS[path]?.['get']?.responses ?? {});
    expect(statuses('/health')).toEqual(['200']);
    expect(statuses('/health/live')).toEqual(['200']);
    expect(statuses('/health/ready')).toEqual(['200', '503']);
  });

  it('has every route of the table, each with its own summary', () => {
    for (const row of ROUTE_ROWS) {
      const { method, name, document } = row;
      const operation = PATHS[documentPath(row)]?.[method.toLowerCase()];
      expect(operation).toMatchObject({ operationId: name, summary: document.summary });
    }
    const summaries = ROUTE_ROWS.map(({ document }) => document.summary);
    expect(new Set(summaries).size).toBe(summaries.length);
  });

  it.each(OPERATION_LIST)(
    '$method $path documents its path parameters, security and responses',
    ({ path, operation }) => {
      const declared = (operation.parameters ?? [])
        .filter((parameter) => parameter.in === 'path')
        .map(({ name }) => name);
      expect(declared).toEqual([...path.matchAll(/\{(\w+)\}/g)].map(([, name]) => name));
      const schemes = Object.keys(openApiDocument.components.securitySchemes);
      for (const scheme of operation.security.flatMap(Object.keys)) expect(schemes).toContain(scheme);
      expect(Object.keys(operation.responses).length).toBeGreaterThan(0);
    },
  );

  it('gives every operation a unique id and resolves every reference', () => {
    const ids = OPERATION_LIST.map(({ operation }) => operation.operationId);
    expect(new Set(ids).size).toBe(ids.length);
    const references = [...JSON.stringify(openApiDocument).matchAll(/"\$ref":"#\/([^"]+)"/g)].map(
      ([, at]) => at ?? '',
    );
    expect(references.length).toBeGreaterThan(100);
    for (const at of references) expect(openApiDocument).toHaveProperty(at.split('/'));
  });

  it.each(Object.keys(SCHEMAS))('%s is a valid schema', (name) => {
    expect(() => accepts(name, {})).not.toThrow();
  });

  it('[RUN-04] has the 27 fields of a run, and requires all except temperature and top_p', () => {
    expect(SCHEMAS['Run']?.required).toHaveLength(25);
    expect([...(SCHEMAS['Run']?.required ?? [])].sort()).toEqual(Object.keys(RUN).sort());
    expect(Object.keys(SCHEMAS['Run']?.properties ?? {}).sort()).toEqual(
      [...Object.keys(RUN), 'temperature', 'top_p'].sort(),
    );
    expect(accepts('Run', RUN)).toBe(true);
    for (const name of Object.keys(RUN)) {
      const { [name as keyof typeof RUN]: _, ...rest } = RUN;
      expect(accepts('Run', rest)).toBe(false);
    }
  });

  const tool = (extra: object) => ({ tools: [{ type: 'function', ...extra }] });
  it.each<[verdict: boolean, change: object]>([
    ...[
      'queued',
      'in_progress',
      'requires_action',
      'cancelling',
      'cancelled',
      'failed',
      'completed',
      'incomplete',
      'expired',
    ].map((status): [boolean, object] => [true, { status }]),
    [false, { status: 'done' }],
    [false, { object: 'run' }],
    [false, { tools: Array.from({ length: 21 }, () => ({ type: 'file_search' })) }],
    [true, { tools: Array.from({ length: 20 }, () => ({ type: 'file_search' })) }],
    [true, tool({ function: { name: 'f_1-A', strict: null } })],
    [false, tool({ function: { name: 'a b' } })],
    [false, tool({ function: { name: 'a'.repeat(65) } })],
    [false, tool({})],
    [true, { tools: [{ type: 'file_search', file_search: { max_num_results: 50 } }] }],
    [false, { tools: [{ type: 'file_search', file_search: { max_num_results: 51 } }] }],
    [false, { metadata: Object.fromEntries(Array.from({ length: 17 }, (_, i) => [String(i), 'v'])) }],
    [false, { metadata: { ['k'.repeat(65)]: 'v' } }],
    [false, { metadata: { k: 'v'.repeat(513) } }],
    [true, { metadata: null, temperature: null, top_p: 0.5 }],
    [false, { max_prompt_tokens: 255 }],
    [true, { max_prompt_tokens: 256 }],
    [false, { max_completion_tokens: 255 }],
    [false, { truncation_strategy: { last_messages: 1 } }],
    [false, { truncation_strategy: { type: 'last_messages', last_messages: 0 } }],
    [true, { truncation_strategy: { type: 'last_messages', last_messages: 1 } }],
    [true, { tool_choice: { type: 'function', function: { name: 'f' } } }],
    [false, { tool_choice: { type: 'function' } }],
    [false, { tool_choice: 'any' }],
    [true, { response_format: { type: 'json_object' } }],
    [false, { response_format: { type: 'xml' } }],
    [
      true,
      {
        required_action: {
          type: 'submit_tool_outputs',
          submit_tool_outputs: {
            tool_calls: [{ id: 'c', type: 'function', function: { name: 'f', arguments: '{}' } }],
          },
        },
      },
    ],
    [
      false,
      {
        required_action: {
          type: 'submit_tool_outputs',
          submit_tool_outputs: { tool_calls: [{ id: 'c', type: 'function', function: { name: 'f' } }] },
        },
      },
    ],
    [false, { required_action: { type: 'submit_tool_outputs' } }],
    [true, { last_error: { code: 'server_error', message: 'x' } }],
    [false, { last_error: { code: 'other', message: 'x' } }],
    [false, { last_error: { code: 'invalid_prompt' } }],
    [true, { incomplete_details: { reason: 'max_prompt_tokens' } }],
    [false, { incomplete_details: { reason: 'tired' } }],
    [false, { usage: { prompt_tokens: 1, completion_tokens: 2 } }],
    [true, { usage: null }],
  ])('[RUN-04] a run is valid: %s, with %j', (verdict, change) => {
    expect(accepts('Run', { ...RUN, ...change })).toBe(verdict);
  });

  it('[RUN-01] requires all five fields of the list of runs', () => {
    const list = { object: 'list', data: [RUN], first_id: 'run_1', last_id: 'run_1', has_more: false };
    expect(accepts('RunList', list)).toBe(true);
    for (const name of Object.keys(list)) {
      const { [name as keyof typeof list]: _, ...rest } = list;
      expect(accepts('RunList', rest)).toBe(false);
    }
  });

  /** `best_of` must be greater than `n`; JSON Schema cannot compare two fields. */
  const BEYOND_SCHEMA = ['body-063'];
  const cases = (readCases('bodies.json') as { cases: BodyCase[] }).cases.flatMap((test) => {
    const [method = '', path = ''] = test.endpoint.split(' ');
    const row = ROUTE_ROWS.find((item) => item.method === method && item.path === path);
    const schema = schemaNameOf(row?.name ?? '');
    if (!row?.checkBody || schema === null || test.raw === '' || BEYOND_SCHEMA.includes(test.id)) return [];
    const value: unknown = test.raw === undefined ? test.body : JSON.parse(test.raw);
    return [{ ...test, value, check: row.checkBody, schema }];
  });

  it.each(cases)('accepts or refuses $id of $endpoint as the gateway does', ({ value, check, schema }) => {
    const found = new Violations();
    check(value, '', found);
    let refused = false;
    try {
      found.raise();
    } catch {
      refused = true;
    }
    expect(accepts(schema, value)).toBe(!refused);
  });
});
