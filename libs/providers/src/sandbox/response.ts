import { parseObject } from '@gw/dialects';
import { createHash } from 'node:crypto';
import { GatewayError } from '@gw/kernel';
import type { HeaderList, JsonObject, LocalResponse, LocalChunk, LocalProvider } from '../provider';
import { chatResponse } from './chat';
import { completionResponse } from './completions';
import { embeddingsResponse } from './embeddings';
import { modelsResponse } from './models';
import { moderationResponse, MODERATION_MODELS } from './moderations';
import type { Dials } from './dials';
import { readModel, type SandboxResponse, type SandboxRequest } from './request';

const ROUTES: Readonly<Record<string, (request: SandboxRequest) => SandboxResponse>> = {
  '/chat/completions': chatResponse,
  '/completions': completionResponse,
  '/embeddings': embeddingsResponse,
  '/moderations': moderationResponse,
};

/**
 * Responds to any request. A request that the sandbox does not serve gets an error in OpenAI's
 * format.
 */
export const respondLocally: LocalProvider['respond'] = (request) => {
  try {
    return response(request);
  } catch (error) {
    if (error instanceof GatewayError)
      return refusal(error.status, error.message, error.options.param ?? null);
    // A body of a few KiB can have more levels than the stack.
    if (error instanceof RangeError) return refusal(400, 'The body is nested too deep.', null);
    throw error;
  }
};

function response({ method, path, body, metadata }: Parameters<LocalProvider['respond']>[0]): LocalResponse {
  const route = (path.split('?')[0] ?? '').replace(/^\/v1(?=\/)/, '');
  if (method === 'GET' && (route === '/models' || route.startsWith('/models/'))) {
    return json(200, modelsResponse(route), null);
  }
  const serve = Object.hasOwn(ROUTES, route) ? ROUTES[route] : undefined;
  if (serve === undefined || method !== 'POST') {
    return refusal(404, `The sandbox does not serve ${method} ${route}.`, null);
  }
  const parsed = parseObject(body.toString('utf8'));
  if (parsed === null) return refusal(400, 'The body must be a JSON object.', null);
  const { model, dials } = readModel(parsed, metadata, route === '/moderations' ? MODERATION_MODELS : []);
  if (dials.status !== null) {
    const refused = refusal(dials.status, `Status ${String(dials.status)} was requested.`, null);
    return { ...refused, delayMs: dials.latency };
  }
  const id = createHash('sha256').update(route).update(body).digest('hex').slice(0, 24);
  return play(serve({ body: parsed, model, dials, id }), dials);
}

const play = (result: SandboxResponse, dials: Dials): LocalResponse =>
  result.kind === 'json' ? json(200, result.body, dials) : stream(result, dials);

const headers = (contentType: string): HeaderList => ['content-type', contentType, 'x-sandbox', 'true'];

function json(status: number, body: JsonObject, dials: Dials | null): LocalResponse {
  const data = Buffer.from(JSON.stringify(body), 'utf8');
  const cut = dials !== null && dials.cut !== null;
  return {
    status,
    headers: headers('application/json'),
    delayMs: dials?.latency ?? 0,
    chunks: [{ waitMs: dials?.ttft ?? 0, data: cut ? data.subarray(0, data.length >> 1) : data }],
    cut,
  };
}

function stream(result: Stream, dials: Dials): LocalResponse {
  const cut = dials.cut !== null && dials.cut < result.length;
  return {
    status: 200,
    headers: headers('text/event-stream; charset=utf-8'),
    delayMs: dials.latency,
    chunks: timed(piecesOf(result, cut ? dials.cut : null), dials),
    cut,
  };
}

type Stream = Extract<SandboxResponse, { kind: 'stream' }>;

function* piecesOf({ opening, content, closing }: Stream, cutAt: number | null): Generator<Buffer> {
  for (const body of opening) yield event(body);
  let left = cutAt ?? Infinity;
  for (const body of content) {
    if (left === 0) return;
    left -= 1;
    yield event(body);
  }
  yield Buffer.concat([...closing.map(event), DONE]);
}

function* timed(pieces: Iterable<Buffer>, { ttft, gap }: Dials): Generator<LocalChunk> {
  let waitMs = ttft;
  for (const data of pieces) {
    yield { waitMs, data };
    waitMs = gap;
  }
}

const DONE = Buffer.from('data: [DONE]\n\n');
const event = (body: JsonObject): Buffer => Buffer.from(`data: ${JSON.stringify(body)}\n\n`, 'utf8');

function refusal(status: number, message: string, param: string | null): LocalResponse {
  const type = status >= 500 ? 'server_error' : status === 429 ? 'rate_limit_error' : 'invalid_request_error';
  return json(status, { error: { message: `[sandbox] ${message}`, type, param, code: 'sandbox' } }, null);
}
