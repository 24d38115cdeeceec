import { GatewayError } from '@gw/kernel';
import { readCases } from '@gw/testing';
import type { JsonObject } from '../call';
import { CLIENT_CODECS, PROVIDER_CODECS } from '../codecs';
import type { ClientCodec } from '../codec';
import { targetOf, type Target } from '../target';
import { translateCall, type TranslatedCall } from '../translate';
import { readStream, type ReadStream } from './client-streams';
import { framed } from './framing';
import { mismatches, present } from './matching';
import { normalised } from './normalised';

export interface Vector {
  readonly id: string;
  readonly from: string;
  readonly to: string;
  readonly kind: 'request' | 'response' | 'stream' | 'error';
  readonly model?: string;
  readonly profile?: string;
  readonly family?: string;
  readonly request?: JsonObject;
  readonly input: JsonObject;
  readonly expect: JsonObject;
  readonly note: string;
}

export const VECTORS = (readCases('dialects.json') as { readonly cases: readonly Vector[] }).cases;

const BASE_PATHS: Readonly<Record<string, string>> = {
  gemini: '/v1beta',
  'openai-chat': '/v1',
  'openai-responses': '/v1',
  'anthropic-messages': '/v1',
  mistral: '/v1',
  ollama: '/api',
};

/** Default models for targets whose vector names none. */
const MODELS: Readonly<Record<string, string>> = {
  'openai-chat': 'gpt-4.1',
  'openai-responses': 'gpt-5.4',
  'anthropic-messages': 'claude-sonnet-4-5',
  gemini: 'gemini-2.5-flash',
  'bedrock-converse': 'anthropic.claude-sonnet-4-5-20250929-v1:0',
  'cohere-v2': 'command-a-03-2025',
  mistral: 'mistral-large-latest',
  ollama: 'llama3.2',
};
const PROVIDERS: Readonly<Record<string, string>> = {
  'openai-chat': 'openai',
  'openai-responses': 'openai',
  'anthropic-messages': 'anthropic',
  gemini: 'google',
  'bedrock-converse': 'bedrock',
  'cohere-v2': 'cohere',
  mistral: 'mistral-ai',
  ollama: 'ollama',
};

function targetFor(dialect: string, model = MODELS[dialect] ?? 'm', profile?: string): Target {
  return targetOf({
    provider: profile ?? PROVIDERS[dialect] ?? dialect,
    dialect: dialect as Target['dialect'],
    model,
    traits: profile === 'together-ai' ? { maxTokensField: 'max_tokens' } : {},
  });
}

/** Returns a small call in a client dialect, for vectors of responses without a request. */
function minimalRequest(client: ClientCodec, request: JsonObject = {}): JsonObject {
  if (client.dialect === 'gemini')
    return { contents: [{ role: 'user', parts: [{ text: 'x' }] }], ...request };
  if (client.dialect === 'openai-responses') return { model: 'm', input: 'x', ...request };
  return { model: 'm', max_tokens: 100, messages: [{ role: 'user', content: 'x' }], ...request };
}

function translated(
  clientDialect: string,
  providerDialect: string,
  body: JsonObject,
  vector: Vector,
): TranslatedCall {
  const client = CLIENT_CODECS.get(clientDialect);
  const provider = PROVIDER_CODECS.get(providerDialect);
  if (client === undefined || provider === undefined)
    throw new Error(`No codec for ${clientDialect} to ${providerDialect}`);
  const target = targetFor(providerDialect, vector.model, vector.profile);
  const request = client.dialect === 'gemini' ? body : { ...body, model: target.model };
  return translateCall(client, provider, request, {
    target,
    loss: 'strict',
    requestId: 'req_1',
    createdAt: 1_700_000_000,
    address: client.dialect === 'gemini' ? { model: target.model, stream: vector.kind === 'stream' } : {},
  });
}

/** Members of `expect` by the kind of a vector. Streams have `EXPECTATIONS`. */
const MEMBERS = {
  request: ['body', 'absent', 'loss', 'path', 'status', 'type', 'param'],
  response: ['body', 'absent', 'status'],
} as const;

function assertKnown({ id, expect }: Vector, kind: keyof typeof MEMBERS): void {
  const unknown = Object.keys(expect).filter((name) => !MEMBERS[kind].some((each) => each === name));
  if (unknown.length > 0) throw new Error(`${id}: unknown expectations ${unknown.join()}`);
}

/** Returns the mismatches of a request vector. */
export function requestFaults(vector: Vector): string[] {
  const { expect, from, to } = vector;
  assertKnown(vector, 'request');
  let call: TranslatedCall;
  try {
    call = translated(from, to, vector.input, vector);
  } catch (thrown) {
    if (!(thrown instanceof GatewayError)) throw thrown;
    if (expect['status'] === undefined)
      return [`refused: ${thrown.type} ${String(thrown.options.param)} ${thrown.message}`];
    return [
      ...mismatches(expect['status'], thrown.status),
      ...mismatches(expect['type'], thrown.type),
      ...(expect['param'] === undefined ? [] : mismatches(expect['param'], thrown.options.param)),
    ];
  }
  if (expect['status'] !== undefined) return [`was not refused: ${JSON.stringify(call.body)}`];
  const reported = call.losses.losses.map(({ path }) => path);
  const missing = ((expect['loss'] ?? []) as string[]).filter(
    (path) => !reported.some((found) => found === path || found.startsWith(`${path}.`)),
  );
  const body = JSON.parse(JSON.stringify(call.body)) as JsonObject;
  return [
    ...mismatches(normalised(to, expect['body'] ?? {}), normalised(to, body)),
    ...present((expect['absent'] ?? []) as string[], body).map((path) => `${path} is present`),
    ...(expect['path'] === undefined ? [] : mismatches(expect['path'], (BASE_PATHS[to] ?? '') + call.path)),
    ...missing.map((path) => `loss ${path} is not reported, but ${reported.join(', ')}`),
  ];
}

export function responseFaults(vector: Vector): string[] {
  const { expect, from, to } = vector;
  assertKnown(vector, 'response');
  const client = CLIENT_CODECS.get(to);
  if (client === undefined) throw new Error(`No client codec of ${to}`);
  const call = translated(to, from, minimalRequest(client, vector.request), vector);
  try {
    const body = call.response(vector.input);
    if (expect['status'] !== undefined) return [`was not refused: ${JSON.stringify(body)}`];
    const shown = JSON.parse(JSON.stringify(body)) as JsonObject;
    return [
      ...mismatches(normalised(to, expect['body'] ?? {}), normalised(to, shown)),
      ...present((expect['absent'] ?? []) as string[], shown).map((path) => `${path} is present`),
    ];
  } catch (thrown) {
    if (!(thrown instanceof GatewayError)) throw thrown;
    return expect['status'] === undefined
      ? mismatches(expect['body'], thrown.toBody('req_1'))
      : mismatches(expect['status'], thrown.status);
  }
}

/**
 * Returns the mismatches of a stream vector. `split` returns the indexes at which the provider's
 * bytes are cut.
 */
export function streamFaults(vector: Vector, split: (length: number) => readonly number[]): string[] {
  const { from, to } = vector;
  const client = CLIENT_CODECS.get(to);
  if (client === undefined) throw new Error(`No client codec of ${to}`);
  const call = translated(
    to,
    from,
    { ...minimalRequest(client, vector.request), ...(to === 'gemini' ? {} : { stream: true }) },
    vector,
  );
  const bytes = framed(from, vector.input['frames'] as JsonObject[], String(vector.input['end']));
  const stream = call.stream();
  let text = '';
  let at = 0;
  for (const cut of [...split(bytes.length), bytes.length]) {
    text += stream.write(bytes.subarray(at, cut));
    at = cut;
  }
  text += stream.end();
  return streamExpectations(vector, readStream(to, text));
}

type Expectation = (expected: unknown, found: ReadStream) => string[];

const compared =
  (name: string, of: (found: ReadStream) => unknown): Expectation =>
  (expected, found) =>
    mismatches(expected, of(found), new Map(), name);
const collapsed = ({ types }: ReadStream): string[] =>
  types.filter((type, index) => type !== types[index - 1]);
const isGiven = (value: unknown): boolean => value !== undefined && value !== null;

const EXPECTATIONS: Readonly<Record<string, Expectation>> = {
  folded: compared('folded', ({ folded }) => folded),
  sequence: compared('sequence', collapsed),
  contains_in_order: (expected, { types }) => outOfOrder(expected as string[], types),
  last: compared('last', ({ types }) => types.at(-1)),
  error: compared('error', ({ error }) => error),
  end: compared('end', ({ end }) => end),
  absent: (expected, { folded }) => present(expected as string[], folded).map((path) => `${path} is present`),
  one_open_block: (_expected, { events }) => openBlockFaults(events),
  sequence_numbers: (_expected, { events }) =>
    events.flatMap((event, index) =>
      mismatches(index, event['sequence_number'], new Map(), 'sequence_number'),
    ),
  item_ids_announced: (_expected, { events }) => unannounced(events),
  usage_chunks: compared(
    'usage_chunks',
    ({ events }) => events.filter((event) => isGiven(event['usage'])).length,
  ),
  function_call_events: compared(
    'function_call_events',
    ({ events }) => events.filter((event) => JSON.stringify(event).includes('"functionCall"')).length,
  ),
};

function streamExpectations({ expect }: Vector, found: ReadStream): string[] {
  return Object.entries(expect).flatMap(([name, expected]) => {
    const check = EXPECTATIONS[name];
    if (check === undefined) throw new Error(`Unknown expectation ${name}`);
    return check(expected, found);
  });
}

function outOfOrder(expected: readonly string[], types: readonly string[]): string[] {
  let at = 0;
  for (const type of expected) {
    const found = types.indexOf(type, at);
    if (found < 0) return [`${type} is missing after ${String(at)} in ${types.join(' ')}`];
    at = found + 1;
  }
  return [];
}

function openBlockFaults(events: readonly JsonObject[]): string[] {
  let open: unknown = null;
  for (const event of events) {
    if (event['type'] === 'content_block_start') {
      if (open !== null)
        return [`block ${JSON.stringify(event['index'])} starts while ${JSON.stringify(open)} is open`];
      open = event['index'];
    } else if (event['type'] === 'content_block_stop') open = null;
  }
  return [];
}

function unannounced(events: readonly JsonObject[]): string[] {
  const announced = new Set<unknown>();
  const faults: string[] = [];
  for (const event of events) {
    if (event['type'] === 'response.output_item.added') announced.add((event['item'] as JsonObject)['id']);
    else if (event['item_id'] !== undefined && !announced.has(event['item_id']))
      faults.push(`item ${JSON.stringify(event['item_id'])} was not announced`);
  }
  return faults;
}
