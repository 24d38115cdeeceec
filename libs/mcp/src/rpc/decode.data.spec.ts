import { McpFault } from '../fault';
import { isLegacyRevision, type JsonObject } from '../protocol';
import { respond, sessionId } from '../spec-support/endpoint';
import { vectors } from '../spec-support/vectors';
import { batchBody, legacyResponse } from '../http/local-response';
import { readToolCall } from './tool-call';

interface Input {
  readonly text?: string;
  readonly gen?: 'nesting' | 'body' | 'members';
  readonly depth?: number;
  readonly bytes?: number;
  readonly count?: number;
  readonly batch?: readonly string[] | string;
  readonly session: string;
}
interface JsonCase {
  readonly input: Input;
  readonly expect: 'either' | 'reject' | JsonObject;
}

const call = (args: string): string =>
  `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"test_simple_text","arguments":${args}}}`;

function textOf({ text, gen, depth = 0, bytes = 0, count = 0, batch }: Input): string {
  if (text !== undefined) return text;
  if (gen === 'nesting') return call('{"a":'.repeat(depth - 1) + '{}' + '}'.repeat(depth - 1));
  if (gen === 'members')
    return call(`{${Array.from({ length: count }, (_, at) => `"a${String(at)}":1`).join()}}`);
  if (gen === 'body') return call(`{"a":"${'x'.repeat(bytes - call('{"a":""}').length)}"}`);
  const [, times] = /^(\d+) x ping$/.exec(String(batch)) ?? [];
  const methods =
    times === undefined ? (batch as string[]) : Array.from({ length: Number(times) }, () => 'ping');
  return JSON.stringify(
    methods.map((method, id) => ({ jsonrpc: '2.0', method, ...(method === 'ping' && { id }) })),
  );
}

const TOOLS = new Map([['test_simple_text', true]]);

/** Sends a text on a session. A forwarded tools/call is read with `readToolCall`. */
function send(text: string, session: string): { status: number; body: unknown } {
  const headers = {
    accept: 'application/json, text/event-stream',
    'content-type': 'application/json',
    'mcp-session-id': sessionId(isLegacyRevision(session) ? session : '2025-11-25'),
  };
  const { status, body, received } = respond('POST', headers, text);
  if (received?.kind !== 'legacy') return { status, body };
  if (received.isBatch)
    return { status, body: batchBody(received.messages.map((each) => legacyResponse(each)?.body ?? null)) };
  const [message] = received.messages;
  if (message.kind !== 'request' || message.method !== 'tools/call') return { status, body };
  try {
    readToolCall(message, TOOLS);
    return { status, body };
  } catch (error) {
    if (error instanceof McpFault) return { status: error.status, body: error.body() };
    throw error;
  }
}

describe('decodeBody', () => {
  it.each(vectors<JsonCase>('jsonrpc'))('%s %s', (_id, _reason, { input, expect: wanted }) => {
    const { status, body } = send(textOf(input), input.session);
    const code = ((body as JsonObject | null)?.['error'] as JsonObject | undefined)?.['code'];
    if (wanted === 'reject') expect([400, 413]).toContain(status);
    else if (wanted === 'either') expect([200, 400]).toContain(status);
    else {
      expect(['status', 'code', 'array']).toEqual(expect.arrayContaining(Object.keys(wanted)));
      if (wanted['status'] !== undefined) expect(status).toBe(wanted['status']);
      if (wanted['code'] !== undefined) expect(code).toBe(wanted['code']);
      if (wanted['array'] !== undefined) expect(body).toHaveLength(wanted['array'] as number);
    }
    expect(({} as JsonObject)['x']).toBeUndefined();
  });

  it('accepts arguments of 64 levels, 10,000 members and a body of 4 MiB', () => {
    const inputs: Input[] = [
      { gen: 'nesting', depth: 64, session: '' },
      { gen: 'members', count: 10_000, session: '' },
      { gen: 'body', bytes: 4_194_304, session: '' },
    ];
    for (const input of inputs) expect(send(textOf(input), '').status).toBe(200);
  });

  it('refuses batches in every revision but 2025-03-26, and batches with initialize', () => {
    const batch = '[{"jsonrpc":"2.0","id":1,"method":"ping"}]';
    for (const session of ['2024-11-05', '2025-06-18', '2025-11-25'])
      expect(send(batch, session).status).toBe(400);
    expect(send(batch, '2025-03-26').status).toBe(200);
    expect(send(batch.replace('ping', 'initialize'), '2025-03-26').status).toBe(400);
  });

  it('echoes ids exactly or refuses them, and never rounds them', () => {
    for (const id of ['9007199254740991', '-1', '"1"', '""', '"\\ud83d\\ude00"']) {
      const { status, body } = send(`{"jsonrpc":"2.0","id":${id},"method":"ping"}`, '');
      expect([status, (body as JsonObject)['id']]).toEqual([200, JSON.parse(id)]);
    }
    for (const id of ['9007199254740993', '1e400', '[1]', '{}', `"${'x'.repeat(1_025)}"`])
      expect(send(`{"jsonrpc":"2.0","id":${id},"method":"ping"}`, '').status).toBe(400);
  });

  it.each(['id', 'params', 'jsonrpc'])(
    'refuses a second member %s, which another parser may prefer',
    (name) => {
      const text = `{"jsonrpc":"2.0","id":1,"method":"ping","params":{},"${name}":${name === 'params' ? '{}' : '"2.0"'}}`;
      expect(send(text, '').status).toBe(400);
    },
  );

  it('refuses numbers that become infinite, and bytes that are not UTF-8', () => {
    expect(send(call('{"a":1e400}'), '').status).toBe(400);
    expect(
      respond('POST', { accept: '*/*', 'content-type': 'application/json' }, Buffer.from('"\xff"', 'latin1')),
    ).toMatchObject({
      status: 400,
      body: { error: { code: -32_700 } },
    });
  });
});
