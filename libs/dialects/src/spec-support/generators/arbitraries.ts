import fc from 'fast-check';
import type { SealMaker } from '../../call';
import type {
  PlainCall,
  PlainConversation,
  PlainModelPart,
  PlainReasoning,
  PlainResponse,
  PlainText,
  PlainTurn,
  PlainUsage,
} from './plain';

/** Generated conversations and responses. */

/** A text that is not blank, because providers may leave out blank texts. */
const text: fc.Arbitrary<PlainText> = fc
  .string({ unit: 'grapheme', maxLength: 16 })
  .map((found) => ({ kind: 'text', text: found.trim() === '' ? `${found}x` : found }));

const SEALERS: readonly SealMaker[] = ['anthropic', 'google', 'openai', 'mistral', 'xai'];

/** Generates a seal whose value names its maker, so that a test can find it anywhere in a body. */
const sealValue = (by: SealMaker): fc.Arbitrary<string> =>
  fc.nat(1_000_000).map((number) => `SEAL${by}${String(number).padStart(8, '0')}`);

export const makerIn = (value: string): string | undefined => /SEAL([a-z]+)\d{8}/.exec(value)?.[1];

const reasoning = (makers: readonly SealMaker[]): fc.Arbitrary<PlainReasoning> =>
  makers.length === 0
    ? text.map((found) => ({ ...found, kind: 'reasoning' }))
    : fc
        .tuple(text, fc.constantFrom(...makers))
        .chain(([found, by]) =>
          sealValue(by).map((value) => ({ ...found, kind: 'reasoning', seal: { by, value } })),
        );

const NAMES = ['f', 'get_weather', 'a-b', 'constructor', 'toString', 'hasOwnProperty', 'x1'] as const;
/** A valid id in every dialect. */
const plainId = fc.stringMatching(/^[A-Za-z0-9]{9}$/);
/** An id that some dialects must map. */
const oddId = fc.oneof(
  plainId,
  fc.stringMatching(/^[a-z:./ü_-]{1,80}$/),
  fc.constantFrom('__proto__', 'constructor'),
);

const args = fc
  .dictionary(fc.constantFrom('a', 'b', 'city', 'constructor', 'toString'), fc.jsonValue({ maxDepth: 2 }), {
    maxKeys: 3,
    noNullPrototype: true,
  })
  .map((found) => JSON.parse(JSON.stringify(found)) as PlainCall['args']);

const call = (id: fc.Arbitrary<string>): fc.Arbitrary<PlainCall> =>
  fc.record({ kind: fc.constant('call' as const), id, name: fc.constantFrom(...NAMES), args });

interface Options {
  /** Makers of the seals in the history. */
  readonly makers?: readonly SealMaker[];
  readonly hasOddIds?: boolean;
}

interface Exchange {
  readonly before: readonly PlainText[];
  readonly reasoning: readonly PlainReasoning[];
  readonly texts: readonly PlainText[];
  readonly calls: readonly PlainCall[];
  readonly output: string;
}

function turnsOf(exchanges: readonly Exchange[], last: PlainText): PlainTurn[] {
  const turns: PlainTurn[] = [];
  let results: (PlainTurn & { role: 'user' })['results'] = [];
  const seen = new Set<string>();
  for (const exchange of exchanges) {
    const calls = exchange.calls.filter(({ id }) => !seen.has(id) && seen.add(id));
    turns.push({ role: 'user', results, parts: exchange.before });
    turns.push({ role: 'assistant', parts: [...exchange.reasoning, ...exchange.texts, ...calls] });
    results = calls.map(({ id, name }) => ({ kind: 'result', id, name, text: exchange.output }));
  }
  return [...turns, { role: 'user', results, parts: [last] }];
}

/**
 * Generates a conversation. Every call has its result in the next turn; the first and the last turn
 * are the user's.
 */
export const conversation = ({ makers = SEALERS, hasOddIds = false }: Options = {}) =>
  fc
    .record({
      system: fc.array(text, { maxLength: 2 }),
      exchanges: fc.array(
        fc.record({
          before: fc.array(text, { minLength: 1, maxLength: 2 }),
          reasoning: fc.array(reasoning(makers), { maxLength: 2 }),
          texts: fc.array(text, { minLength: 1, maxLength: 2 }),
          calls: fc.uniqueArray(call(hasOddIds ? oddId : plainId), {
            selector: ({ id }) => id,
            maxLength: 3,
          }),
          output: text.map((found) => found.text),
        }),
        { maxLength: 3 },
      ),
      last: text,
      stops: fc.uniqueArray(fc.constantFrom('END', 'STOP', '##'), { maxLength: 3 }),
      stream: fc.boolean(),
    })
    .map(({ system, exchanges, last, stops, stream }): PlainConversation => ({
      system: system.map((found) => found.text),
      turns: turnsOf(exchanges, last),
      tools: NAMES.map((name) => ({
        name,
        description: 'd',
        schema: { type: 'object', properties: { a: { type: 'string' } } },
      })),
      stops,
      maxTokens: 1_000,
      stream,
    }));

const usage: fc.Arbitrary<PlainUsage> = fc
  .tuple(fc.nat(1e6), fc.nat(1e6), fc.nat(100), fc.nat(100))
  .map(([input, output, cached, thought]) => ({
    input,
    cacheRead: Math.floor((input * cached) / 100),
    output,
    reasoning: Math.floor((output * thought) / 100),
  }));

/** Joins consecutive parts of one kind, which a stream cannot distinguish. */
function joined(parts: readonly PlainModelPart[]): PlainModelPart[] {
  const result: PlainModelPart[] = [];
  for (const part of parts) {
    const last = result.at(-1);
    if (part.kind !== 'call' && last?.kind === part.kind) {
      result[result.length - 1] = { ...last, text: last.text + part.text };
    } else result.push(part);
  }
  return result;
}

/**
 * Generates a response of a provider with seals of this maker. Reasoning comes first, calls last.
 */
export const response = (maker: SealMaker | null, hasOddIds = false): fc.Arbitrary<PlainResponse> =>
  fc
    .record({
      thoughts: fc.array(reasoning(maker === null ? [] : [maker]), { maxLength: 1 }),
      texts: fc.array(text, { minLength: 1, maxLength: 3 }),
      calls: fc.uniqueArray(call(hasOddIds ? oddId : plainId), { selector: ({ id }) => id, maxLength: 3 }),
      finish: fc.constantFrom('stop' as const, 'stop' as const, 'length' as const),
      usage,
    })
    .map(({ thoughts, texts, calls, finish, usage: counts }) => ({
      id: 'resp_1',
      parts: joined([...thoughts, ...texts, ...calls]),
      finish,
      usage: counts,
    }));

/** Sizes of the pieces into which texts or bytes are cut, used cyclically. */
export const sizes = fc.array(fc.integer({ min: 1, max: 12 }), { minLength: 1, maxLength: 4 });

/** Returns a function that cuts a text into pieces of these sizes without splitting characters. */
export const cutBy =
  (lengths: readonly number[]) =>
  (whole: string): string[] => {
    const characters = [...whole];
    const pieces: string[] = [];
    for (let at = 0, turn = 0; at < characters.length; turn += 1) {
      const length = lengths[turn % lengths.length] ?? 1;
      pieces.push(characters.slice(at, at + length).join(''));
      at += length;
    }
    return pieces;
  };
