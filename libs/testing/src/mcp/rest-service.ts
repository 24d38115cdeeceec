import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { gzipSync } from 'node:zlib';

/** A request as the service received it. */
export interface RestRequest {
  readonly method: string;
  /** Path and query, undecoded. */
  readonly target: string;
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
  readonly body: string;
}

/** An HTTP service on the loopback interface that an OpenAPI document describes, for specs. */
export interface RestService {
  /** Base URL of its operations. */
  readonly url: URL;
  /** URL of its OpenAPI document. */
  readonly specUrl: URL;
  /** The newest requests other than those for the document, at most 1,000. */
  readonly requests: readonly RestRequest[];
  /** The published document; a test may replace it. */
  spec: unknown;
  /** Returns the number of requests whose responses have not ended. */
  open(): number;
  close(): Promise<void>;
}

const REQUESTS_MAX = 1_000;
const BASE = '/v1';

/** Starts the service on a free port of 127.0.0.1. */
export async function startRestService(): Promise<RestService> {
  const requests: RestRequest[] = [];
  const responding = new Set<ServerResponse>();
  const server = createServer({ keepAliveTimeout: 60_000 }, (request, response) => {
    void bodyOf(request).then((body) => {
      const target = request.url ?? '/';
      if (target.startsWith('/openapi')) return publish(response, service.spec);
      requests.push({ method: request.method ?? 'GET', target, headers: request.headers, body });
      if (requests.length > REQUESTS_MAX) requests.shift();
      responding.add(response);
      response.once('close', () => responding.delete(response));
      const path = new URL(target, 'http://service').pathname.slice(BASE.length);
      const respond = Object.hasOwn(ROUTES, path) ? ROUTES[path] : undefined;
      (respond ?? pet)(response, { body, request, target });
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  const origin = `http://127.0.0.1:${String(port)}`;
  const service: RestService = {
    url: new URL(`${origin}${BASE}`),
    specUrl: new URL(`${origin}/openapi.json`),
    requests,
    spec: restDocument(`${origin}${BASE}`),
    open: () => responding.size,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
  return service;
}

async function bodyOf(request: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk as Buffer);
  return Buffer.concat(chunks).toString('utf8');
}

function publish(response: ServerResponse, spec: unknown): void {
  if (typeof spec === 'function') (spec as (response: ServerResponse) => void)(response);
  else json(response, 200, spec);
}

interface Received {
  readonly body: string;
  readonly request: IncomingMessage;
  readonly target: string;
}
type Respond = (response: ServerResponse, received: Received) => void;

function json(response: ServerResponse, status: number, value: unknown): void {
  response.writeHead(status, { 'content-type': 'application/json' });
  response.end(typeof value === 'string' ? value : JSON.stringify(value));
}

const BOMB_BYTES = 64 * 1_048_576;
const PIECE = Buffer.alloc(65_536, 'x');

/** Sends data until the client closes the connection. */
function flood(response: ServerResponse, status: number): void {
  response.writeHead(status, { 'content-type': 'text/plain' });
  const send = (): void => {
    while (!response.destroyed && response.write(PIECE));
  };
  response.on('drain', send);
  send();
}

const ROUTES: Readonly<Record<string, Respond>> = {
  '/pets': (response, { request, body }) => {
    if (request.method === 'POST') json(response, 201, { id: 7, ...(JSON.parse(body) as object) });
    else json(response, 200, [{ id: '1', name: 'Rex' }]);
  },
  '/echo': (response, { request, target }) => json(response, 200, { headers: request.headers, target }),
  '/big': (response) => json(response, 200, '{"id":12345678901234567890}'),
  '/text': (response) => {
    response.writeHead(200, { 'content-type': 'text/plain' });
    response.end('a text');
  },
  '/photo': (response) => {
    response.writeHead(200, { 'content-type': 'image/png' });
    response.end(Buffer.from([0x89, 0x50, 0x4e, 0x47]));
  },
  '/moved': (response) => {
    response.writeHead(302, { location: 'http://169.254.169.254/latest/meta-data/' });
    response.end();
  },
  '/denied': (response) => json(response, 401, { error: 'no' }),
  '/busy': (response) => {
    response.writeHead(429, { 'retry-after': '7', 'content-type': 'text/plain' });
    response.end('slow down');
  },
  '/flood': (response) => flood(response, 200),
  '/flood-of-errors': (response) => flood(response, 500),
  '/compressed': (response) => {
    response.writeHead(200, { 'content-type': 'application/json', 'content-encoding': 'gzip' });
    response.end(gzipSync('{"a":1}'));
  },
  '/bomb': (response) => {
    response.writeHead(200, { 'content-type': 'application/json', 'content-encoding': 'gzip' });
    response.end(gzipSync(Buffer.alloc(BOMB_BYTES, ' ')));
  },
  '/slow': () => undefined,
};

/** Responds to requests for single pets. */
const pet: Respond = (response, { request, target }) => {
  if (!/^\/v1\/pets\/[^/?]+$/.test(target)) json(response, 404, { error: 'not found' });
  else if (request.method === 'DELETE') {
    response.writeHead(204);
    response.end();
  } else json(response, 200, { id: decodeURIComponent(target.slice('/v1/pets/'.length)), name: 'Rex' });
};

const parameter = (place: string, name: string, more: object = {}): object => ({
  ...{ in: place, name, schema: { type: 'string' }, ...(place === 'path' && { required: true }) },
  ...more,
});

const pets = { type: 'object', properties: { id: { type: 'string' }, name: { type: 'string' } } };
const responds = (schema: object): object => ({
  responses: { 200: { description: 'ok', content: { 'application/json': { schema } } } },
});

/** Returns the OpenAPI document of the service. */
export const restDocument = (url: string) => ({
  openapi: '3.0.3',
  info: { title: 'Pets', version: '1.0.0' },
  servers: [{ url }],
  paths: {
    '/pets': {
      get: {
        ...{ operationId: 'listPets', summary: 'Lists pets.', tags: ['pets'] },
        parameters: [parameter('query', 'tag'), parameter('query', 'limit', { schema: { type: 'integer' } })],
        ...responds({ type: 'array', items: pets }),
      },
      post: {
        ...{ operationId: 'addPet', summary: 'Adds a pet.', tags: ['pets'] },
        requestBody: {
          required: true,
          content: {
            'application/json': {
              schema: { type: 'object', properties: { name: { type: 'string' } }, required: ['name'] },
            },
          },
        },
        responses: { 201: { description: 'made' } },
      },
    },
    '/pets/{id}': {
      parameters: [parameter('path', 'id')],
      get: { operationId: 'getPet', summary: 'Returns a pet.', tags: ['pets'], ...responds(pets) },
      delete: { operationId: 'removePet', summary: 'Removes a pet.', tags: ['pets'], ...responds(pets) },
    },
    '/echo': {
      get: {
        operationId: 'echo',
        parameters: [
          ...[parameter('header', 'X-Request-Tag'), parameter('header', 'X-Service-Key')],
          ...[parameter('header', 'Authorization'), parameter('header', 'X-Http-Method-Override')],
        ],
      },
    },
    ...Object.fromEntries(
      [
        ...['big', 'text', 'photo', 'moved', 'denied', 'busy', 'flood', 'flood-of-errors', 'compressed'],
        ...['bomb', 'slow'],
      ].map((name) => [`/${name}`, { get: { operationId: name } }]),
    ),
  },
});
