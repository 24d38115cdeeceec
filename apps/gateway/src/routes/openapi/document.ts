import { HEADER, routeFamily } from '@gw/contracts';
import { definitionsOf, metadata } from '../checks/rules';
import { responseFormat, tool, toolChoice, truncationStrategy } from '../checks/runs';
import { toolResources } from '../checks/threads';
import type { Dialect } from '@gw/providers';
import { ROUTE_ROWS } from '../families';
import type { RouteDocument, RouteRow } from '../route-rows';
import { PROMPT_SCHEMAS } from './prompt-schemas';
import { RUN_SCHEMAS } from './run-schemas';
import { integer, list, object, ref, text, type Schema } from './schema';
import { TEXT_SCHEMAS } from './text-schemas';
import { THREAD_SCHEMAS } from './thread-schemas';

/** Schemas of request bodies, as defined by their checks. */
const REQUEST_SCHEMAS = definitionsOf(
  metadata,
  toolResources,
  tool,
  toolChoice,
  truncationStrategy,
  responseFormat,
  ...ROUTE_ROWS.flatMap(({ checkBody }) => checkBody ?? []),
);

/** Version of the public interface, not of this software. */
const INTERFACE_VERSION = '2.0.0';

const DESCRIPTION = [
  'A request names the gateway’s API key and a provider: a saved one as x-gw-provider: @slug or x-gw-virtual-key, one by its',
  'name together with a provider key in Authorization, or a config in x-gw-config. Fields that this document does not list',
  'are forwarded as they are; nothing is clamped or dropped. Every path below /v1 that is not listed here is passthrough.',
].join(' ');

const SECURITY_SCHEMES = {
  api_key: {
    type: 'apiKey',
    in: 'header',
    name: HEADER.apiKey,
    description: 'The gateway’s API key; Authorization may then carry the provider’s key.',
  },
  bearer: { type: 'http', scheme: 'bearer', description: 'The gateway’s API key, if it is the only key.' },
} as const;

const header = (name: string, description: string, schema: Schema = text): Schema => ({
  name,
  in: 'header',
  description,
  schema,
});

const PARAMETERS: Readonly<Record<string, Schema>> = {
  provider: header(HEADER.provider, 'Name of a provider, or @slug of a saved one.'),
  virtual_key: header(HEADER.virtualKey, 'Slug of a saved provider credential.'),
  config: header(HEADER.config, 'Slug or id of a saved config, or an inline config as JSON.'),
  custom_host: header(
    HEADER.customHost,
    'Base URL of the caller’s own host, used instead of the provider’s.',
  ),
  forward_headers: header(HEADER.forwardHeaders, 'Comma-separated names of headers to forward unchanged.'),
  request_timeout: header(HEADER.requestTimeout, 'Milliseconds.', {
    ...integer,
    minimum: 1,
    maximum: 3_600_000,
  }),
  strict_open_ai_compliance: header(
    HEADER.strictOpenAi,
    'false: translated responses include the provider’s own members, and streams include guardrail verdicts.',
    { type: 'string', enum: ['true', 'false'] },
  ),
  metadata: header(HEADER.metadata, 'A flat JSON object, for conditions, policies and the log.'),
  trace_id: header(HEADER.traceId, 'Trace id of the log record; generated if absent.'),
  explain: header(HEADER.explain, '1: the response includes how it was routed.', {
    type: 'string',
    const: '1',
  }),
  cache_namespace: header(HEADER.cacheNamespace, 'Cached responses are shared only within this namespace.', {
    ...text,
    minLength: 1,
    maxLength: 255,
  }),
  cache_force_refresh: header(
    HEADER.cacheForceRefresh,
    'true: the response is requested again, and cached.',
    {
      type: 'string',
      enum: ['true', 'false'],
    },
  ),
  idempotency_key: header(
    'Idempotency-Key',
    'Executes the request once: its first response is replayed for 24 hours, with idempotent-replayed: true.',
    { ...text, minLength: 1, maxLength: 255 },
  ),
  vendor_beta: header('Vendor-Beta', 'Forwarded under the provider’s own name of this header.'),
};

const parameterRefs = (names: readonly string[]): readonly Schema[] =>
  names.map((name) => ({ $ref: `#/components/parameters/${name}` }));

const SOMEWHERE: ReadonlySet<string> = new Set(['idempotency_key', 'vendor_beta']);
const EVERYWHERE = parameterRefs(Object.keys(PARAMETERS).filter((name) => !SOMEWHERE.has(name)));
const ONCE = parameterRefs(['idempotency_key']);
const BETA = parameterRefs(['vendor_beta']);
const SECURITY = [{ api_key: [] }, { bearer: [] }] as const;

const inPath = (path: string): readonly Schema[] =>
  [...path.matchAll(/\{(\w+)\}/g)].map(([, name]) => ({ name, in: 'path', required: true, schema: text }));

const inQuery = ({ query = {} }: RouteDocument): readonly Schema[] =>
  Object.entries(query).map(([name, schema]) => ({ name, in: 'query', schema }));

const ANY_OBJECT: Schema = { type: 'object', description: 'As the provider defines it.' };
const BYTES: Schema = {};

function requestBody(row: RouteRow, { request = ANY_OBJECT }: RouteDocument): Schema {
  if (row.method !== 'POST') return {};
  const content =
    row.body === 'any'
      ? { 'multipart/form-data': { schema: ANY_OBJECT } }
      : { 'application/json': { schema: request } };
  return { requestBody: { required: row.body !== 'json-or-none', content } };
}

const ERROR_SCHEMAS: Readonly<Record<Dialect, string>> = {
  openai: 'Error',
  anthropic: 'AnthropicError',
  gemini: 'GoogleError',
};

function responses({ dialect }: RouteRow, operation: RouteDocument): Schema {
  const { response = ANY_OBJECT, streams, bytes, upgrades } = operation;
  const content = bytes
    ? { '*/*': { schema: BYTES } }
    : {
        'application/json': { schema: response },
        ...(streams ? { 'text/event-stream': { schema: text } } : {}),
      };
  const error = ref(ERROR_SCHEMAS[dialect]);
  const success = upgrades
    ? { '101': { description: 'From here on, the connection is the provider’s WebSocket.' } }
    : { '200': { description: 'The response of the provider.', content } };
  return {
    ...success,
    default: {
      description: 'The error, in the common shape.',
      content: { 'application/json': { schema: error } },
    },
  };
}

/** Paths of Gemini’s clients do not begin with the version of the others. */
const ROOT = [{ url: '/' }] as const;

function operationOf(row: RouteRow): Schema {
  const operation = row.document;
  return {
    operationId: row.name,
    summary: operation.summary,
    ...(row.base === '/v1' ? {} : { servers: ROOT }),
    description: `The key needs the scope ${row.scopes.join(' or ')}.`,
    tags: [row.kind],
    security: SECURITY,
    parameters: [
      ...inPath(row.path),
      ...inQuery(operation),
      ...EVERYWHERE,
      ...(row.method === 'POST' ? ONCE : []),
      ...(routeFamily(row.kind).takesBetaHeader ? BETA : []),
    ],
    ...requestBody(row, operation),
    responses: responses(row, operation),
  };
}

const PASSTHROUGH_METHODS = ['get', 'post', 'put', 'patch', 'delete'] as const;

/** Any endpoint of the provider. `name` may contain slashes, which OpenAPI cannot express. */
function passthrough(name: string, id: string, summary: string): Schema {
  const parameters = [{ name, in: 'path', required: true, schema: text }, ...EVERYWHERE];
  const anything = { '*/*': { schema: BYTES } };
  const operations = PASSTHROUGH_METHODS.map((method) => [
    method,
    {
      operationId: `${id}.${method}`,
      summary,
      tags: ['passthrough'],
      security: SECURITY,
      parameters: method === 'post' ? [...parameters, ...ONCE] : parameters,
      ...(method === 'get' ? {} : { requestBody: { content: anything } }),
      responses: { default: { description: 'The unmodified response of the provider.', content: anything } },
    },
  ]);
  return Object.fromEntries(operations) as Schema;
}

/** The path of a route in the document. */
export const documentPath = ({ base, path }: Pick<RouteRow, 'base' | 'path'>): string =>
  base === '/v1' ? path : base + path;

function paths(): Schema {
  const table: Record<string, Record<string, Schema>> = {};
  for (const row of ROUTE_ROWS)
    (table[documentPath(row)] ??= {})[row.method.toLowerCase()] = operationOf(row);
  return {
    ...table,
    '/proxy/{builtin_path}': passthrough('builtin_path', 'proxy', 'A built-in route as passthrough'),
    '/{provider_endpoint}': passthrough('provider_endpoint', 'passthrough', 'Any endpoint of the provider'),
    '/health': healthPath('health', 'Health of the gateway, with the parts that are not well'),
    '/health/live': healthPath('live', 'Whether the process responds'),
    '/health/ready': healthPath('ready', 'Whether the gateway is ready to serve', {
      '503': {
        description: 'The gateway starts or stops. `lacks` names what it waits for.',
        content: UNREADY,
      },
    }),
  };
}

const healthBody = (properties: Readonly<Record<string, Schema>>): Schema => ({
  'application/json': { schema: object({ status: text, ...properties }, ['status']) },
});

const UNREADY = healthBody({ lacks: list(text) });

function healthPath(operationId: string, summary: string, failures: Schema = {}): Record<string, Schema> {
  const responses = {
    '200': { description: 'The state of the gateway.', content: healthBody({}) },
    ...failures,
  };
  return { get: { operationId, summary, tags: ['gateway'], security: [], responses } };
}

/** The data plane's OpenAPI document. */
export const openApiDocument = {
  openapi: '3.1.0',
  info: { title: 'Tollgate gateway', version: INTERFACE_VERSION, description: DESCRIPTION },
  servers: [{ url: '/v1' }],
  security: SECURITY,
  paths: paths(),
  components: {
    securitySchemes: SECURITY_SCHEMES,
    parameters: PARAMETERS,
    schemas: { ...REQUEST_SCHEMAS, ...TEXT_SCHEMAS, ...THREAD_SCHEMAS, ...RUN_SCHEMAS, ...PROMPT_SCHEMAS },
  },
} as const;
