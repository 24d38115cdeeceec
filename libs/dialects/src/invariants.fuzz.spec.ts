import fc from 'fast-check';
import type { Dialect, JsonObject } from './call';
import type { ClientCodec, ClientContext, ProviderCodec, ProviderContext } from './codec';
import { CLIENT_CODECS, PROVIDER_CODECS } from './codecs';
import { LossLedger } from './losses';
import type { StreamEvent } from './response';
import { readStream } from './spec-support/client-streams';
import { conversation, cutBy, makerIn, response, sizes } from './spec-support/generators/arbitraries';
import { CLIENT_CALLS } from './spec-support/generators/client-calls';
import {
  MAKERS,
  type PlainCall,
  type PlainConversation,
  type PlainResponse,
} from './spec-support/generators/plain';
import { PROVIDER_RESPONSES } from './spec-support/generators/provider-responses';
import { providerStream } from './spec-support/generators/provider-streams';
import { readCall } from './spec-support/generators/read-calls';
import { FINISHES, readResponse } from './spec-support/generators/read-responses';
import { normalised } from './spec-support/normalised';
import { smallCall, targetFor } from './spec-support/targets';

/** Number of cases of each property; each case uses one pair of dialects. */
const numRuns = Number(process.env['FC_RUNS'] ?? 1_000);

const client = fc.constantFrom(...CLIENT_CODECS.values());
const provider = fc.constantFrom(...PROVIDER_CODECS.values());

/** Client dialects that providers use too. */
const BOTH = [...CLIENT_CODECS.keys()].filter((dialect) => PROVIDER_CODECS.has(dialect));

const written = (dialect: string, plain: PlainConversation): JsonObject =>
  CLIENT_CALLS[dialect]?.(plain) ?? {};

function encoded(from: ClientCodec, to: ProviderCodec, plain: PlainConversation): JsonObject {
  const target = targetFor(to.dialect);
  const losses = new LossLedger('adapt', target);
  const call = from.decodeCall(written(from.dialect, plain), { model: target.model, stream: plain.stream });
  const { body } = to.encodeCall({ ...call, model: target.model }, target, losses);
  losses.check();
  return JSON.parse(JSON.stringify(body)) as JsonObject;
}

interface Facts {
  readonly from: ProviderContext;
  readonly to: ClientContext;
}

function factsOf(from: ProviderCodec, to: ClientCodec): Facts {
  const request: JsonObject = {
    ...smallCall(to),
    ...(to.dialect === 'gemini' ? {} : { stream: true }),
    ...(to.dialect === 'openai-chat' ? { stream_options: { include_usage: true } } : {}),
  };
  const call = to.decodeCall(request, { model: 'm', stream: true });
  const base = { call, requestId: 'req_1', createdAt: 1_700_000_000 };
  return {
    from: { ...base, target: targetFor(from.dialect) },
    to: { ...base, request, provider: 'p', model: 'm' },
  };
}

function translated(from: ProviderCodec, to: ClientCodec, plain: PlainResponse): JsonObject {
  const facts = factsOf(from, to);
  const body = PROVIDER_RESPONSES[from.dialect]?.(plain) ?? {};
  return to.encodeResponse(from.decodeResponse(body, facts.from), facts.to);
}

/** Decodes the bytes in pieces of these sizes, times 7. */
function decoded(
  from: ProviderCodec,
  context: ProviderContext,
  bytes: Buffer,
  lengths: readonly number[],
): StreamEvent[] {
  const decoder = from.decodeStream(context);
  const events: StreamEvent[] = [];
  for (let at = 0, turn = 0; at < bytes.length; turn += 1) {
    const size = 7 * (lengths[turn % lengths.length] ?? 1);
    events.push(...decoder.write(bytes.subarray(at, at + size)));
    at += size;
  }
  return [...events, ...decoder.end()];
}

function textsOf({ system, turns }: PlainConversation): Record<'system' | 'user' | 'assistant', string> {
  const said = (role: 'user' | 'assistant'): string =>
    turns
      .filter((turn) => turn.role === role)
      .flatMap((turn) => turn.parts.map((part) => (part.kind === 'text' ? part.text : '')))
      .join('');
  return { system: system.join(''), user: said('user'), assistant: said('assistant') };
}

const callsIn = ({ turns }: PlainConversation): Pick<PlainCall, 'id' | 'name' | 'args'>[] =>
  turns.flatMap((turn) =>
    turn.parts.flatMap((part) =>
      part.kind === 'call' ? [{ id: part.id, name: part.name, args: part.args }] : [],
    ),
  );
const resultsIn = ({ turns }: PlainConversation): { id: string; text: string }[] =>
  turns.flatMap((turn) => (turn.role === 'user' ? turn.results.map(({ id, text }) => ({ id, text })) : []));

/** Ollama pairs calls and results by their order. */
const hasIds = ({ dialect }: Pick<ProviderCodec, 'dialect'>): boolean => dialect !== 'ollama';

describe('calls of all pairs of dialects', () => {
  it.each(BOTH)('encode(decode(x)) equals x for %s [2.4.1]', (dialect) => {
    const [from, to] = [CLIENT_CODECS.get(dialect), PROVIDER_CODECS.get(dialect)];
    if (from === undefined || to === undefined) throw new Error(`No codecs of ${dialect}`);
    const maker = MAKERS[to.dialect];
    fc.assert(
      fc.property(conversation({ makers: maker === null ? ['anthropic'] : [maker] }), (plain) => {
        const { model: _model, ...body } = written(dialect, plain);
        expect(normalised(dialect, encoded(from, to, plain))).toMatchObject(
          normalised(dialect, body) as JsonObject,
        );
      }),
      { numRuns: numRuns / BOTH.length },
    );
  });

  it('maps the ids of calls and results by a pure function [2.4.2]', () => {
    fc.assert(
      fc.property(client, provider, conversation({ hasOddIds: true }), (from, to, plain) => {
        if (!hasIds(to)) return;
        const found = readCall(to.dialect, encoded(from, to, plain));
        const calls = callsIn(plain);
        const mapped = new Map(calls.map(({ id }, index) => [id, found.calls[index]?.id]));
        expect(new Set(mapped.values()).size).toBe(calls.length);
        expect(found.results.map(({ id }) => id)).toEqual(resultsIn(plain).map(({ id }) => mapped.get(id)));
        // The mapping of one id does not depend on the rest of the conversation.
        for (const { id, name, args } of calls) {
          const alone: PlainConversation = {
            ...plain,
            turns: [
              { role: 'user', results: [], parts: [{ kind: 'text', text: 'x' }] },
              { role: 'assistant', parts: [{ kind: 'call', id, name, args }] },
              { role: 'user', results: [{ kind: 'result', id, name, text: 'y' }], parts: [] },
            ],
          };
          expect(readCall(to.dialect, encoded(from, to, alone)).calls[0]?.id).toBe(mapped.get(id));
        }
      }),
      { numRuns },
    );
  });

  it('keeps texts, names, ids, arguments and results [2.4.3]', () => {
    fc.assert(
      fc.property(client, provider, conversation(), (from, to, plain) => {
        const { calls, results, ...texts } = readCall(to.dialect, encoded(from, to, plain));
        expect(texts).toEqual(textsOf(plain));
        const withIds = <T extends { id: string }>(items: readonly T[]): T[] =>
          items.map((item) => (hasIds(to) ? item : { ...item, id: '' }));
        expect(calls).toEqual(withIds(callsIn(plain)));
        expect(results).toEqual(withIds(resultsIn(plain)));
      }),
      { numRuns },
    );
  });

  it('sends seals only to their maker, and unchanged [2.4.7]', () => {
    fc.assert(
      fc.property(client, provider, conversation(), (from, to, plain) => {
        // A client of Chat Completions keeps the seals of any provider of its dialect.
        if (from.dialect === 'openai-chat' && to.dialect === 'openai-chat') return;
        const json = JSON.stringify(encoded(from, to, plain));
        const makers = new Set([...json.matchAll(/SEAL[a-z]+\d{8}/g)].map(([value]) => makerIn(value)));
        makers.delete(MAKERS[to.dialect] ?? undefined);
        expect([...makers]).toEqual([]);
        expect(json).not.toMatch(/gw1\.|g1\.SEAL|Z3cxL/);
      }),
      { numRuns },
    );
  });
});

describe('responses of all pairs of dialects', () => {
  const pair = fc
    .tuple(provider, client)
    .chain(([from, to]) =>
      fc.record({ from: fc.constant(from), to: fc.constant(to), plain: response(MAKERS[from.dialect]) }),
    );

  it('keep texts, reasoning, names, ids, arguments, the end and the usage [2.4.2, 2.4.3, 2.4.5]', () => {
    fc.assert(
      fc.property(pair, ({ from, to, plain }) => {
        expect(readResponse(to.dialect, translated(from, to, plain))).toEqual(
          expectedOf(from.dialect, to.dialect, plain),
        );
      }),
      { numRuns },
    );
  });

  it('give clients ids that map back to those of the provider [2.4.2]', () => {
    const odd = fc.tuple(provider, client).chain(([from, to]) =>
      fc.record({
        from: fc.constant(from),
        to: fc.constant(to),
        plain: response(MAKERS[from.dialect], true),
      }),
    );
    fc.assert(
      fc.property(odd, ({ from, to, plain }) => {
        const ids = plain.parts.flatMap((part) => (part.kind === 'call' ? [part.id] : []));
        if (!hasIds(from)) return;
        const { calls } = readResponse(to.dialect, translated(from, to, plain));
        const again: PlainConversation = {
          system: [],
          tools: [],
          stops: [],
          maxTokens: 10,
          stream: false,
          turns: [
            { role: 'user', results: [], parts: [{ kind: 'text', text: 'x' }] },
            {
              role: 'assistant',
              parts: [
                { kind: 'text', text: 'y' },
                ...calls.map(({ id, name }) => ({ kind: 'call', id, name, args: {} }) as const),
              ],
            },
            {
              role: 'user',
              results: calls.map(({ id, name }) => ({ kind: 'result', id, name, text: 'z' })),
              parts: [{ kind: 'text', text: 'w' }],
            },
          ],
        };
        const sent = readCall(from.dialect, encoded(to, from, again));
        const mapped = readCall(from.dialect, encoded(to, from, { ...again, turns: withIds(again, ids) }));
        expect(sent).toEqual(mapped);
      }),
      { numRuns },
    );
  });

  it('are the same streamed and unstreamed [2.4.4, 2.4.5]', () => {
    fc.assert(
      fc.property(pair, sizes, ({ from, to, plain }, lengths) => {
        const facts = factsOf(from, to);
        const bytes = providerStream(from.dialect, plain, cutBy(lengths));
        const encoder = to.encodeStream(facts.to);
        const text = decoded(from, facts.from, bytes, lengths)
          .map((event) => encoder.write([event]))
          .join('');
        const { folded, error } = readStream(to.dialect, text);
        expect(error).toBeNull();
        expect(readResponse(to.dialect, folded)).toEqual(
          readResponse(to.dialect, translated(from, to, plain)),
        );
      }),
      { numRuns },
    );
  });
});

const withIds = ({ turns }: PlainConversation, ids: readonly string[]): PlainConversation['turns'] => {
  let [calls, results] = [0, 0];
  return turns.map((turn) =>
    turn.role === 'user'
      ? { ...turn, results: turn.results.map((item) => ({ ...item, id: ids[results++] ?? '' })) }
      : {
          ...turn,
          parts: turn.parts.map((item) =>
            item.kind === 'call' ? { ...item, id: ids[calls++] ?? '' } : item,
          ),
        },
  );
};

function expectedOf(from: Dialect, to: Dialect, { parts, finish, usage }: PlainResponse): unknown {
  const said = (kind: 'text' | 'reasoning'): string =>
    parts.map((part) => (part.kind === kind ? part.text : '')).join('');
  const calls = parts.flatMap((part) =>
    part.kind === 'call' ? [{ id: part.id, name: part.name, args: part.args }] : [],
  );
  const end = finish === 'length' ? 'length' : calls.length > 0 ? 'calls' : 'stop';
  // Ollama counts no cached tokens.
  const cacheRead = from === 'ollama' ? 0 : usage.cacheRead;
  return {
    text: said('text'),
    reasoning: said('reasoning'),
    calls,
    finish: FINISHES[to]?.[end],
    usage: { input: usage.input, output: usage.output, cacheRead },
  };
}
