import fc from 'fast-check';
import type { JsonObject } from './call';
import type { ClientContext, ProviderCodec } from './codec';
import { CLIENT_CODECS, PROVIDER_CODECS } from './codecs';
import type { StreamEvent } from './response';
import { readStream } from './spec-support/client-streams';
import { framed } from './spec-support/framing';
import { cutBy, response, sizes } from './spec-support/generators/arbitraries';
import { MAKERS } from './spec-support/generators/plain';
import { providerEvents } from './spec-support/generators/provider-streams';
import { smallCall, targetFor } from './spec-support/targets';

/**
 * Number of cases of each property; each case uses one provider dialect and all client dialects.
 */
const numRuns = Number(process.env['FC_RUNS'] ?? 1_000);

const CONTEXTS = [...CLIENT_CODECS.values()].map((client) => {
  const request: JsonObject = smallCall(client);
  const call = client.decodeCall(request, { model: 'm', stream: true });
  const context: ClientContext = { call, request, provider: 'p', model: 'm', requestId: 'r', createdAt: 0 };
  return { client, context };
});
const [FIRST] = CONTEXTS;
if (FIRST === undefined) throw new Error('There is no codec.');
const { call } = FIRST.context;

const decoded = (codec: ProviderCodec, bytes: Buffer): StreamEvent[] => {
  const target = targetFor(codec.dialect);
  const decoder = codec.decodeStream({ call, target, requestId: 'r', createdAt: 0 });
  return [...decoder.write(bytes), ...decoder.end()];
};

/** The rules of the order of events. */
class Order {
  readonly faults: string[] = [];
  private started = false;
  private ended = false;
  private readonly seen = new Set<number>();
  private readonly open = new Map<number, number>();
  private readonly candidates = new Set<number>();
  private readonly finished = new Set<number>();

  take(event: StreamEvent): void {
    if (this.ended) this.faults.push(`${event.t} after the end`);
    if (event.t !== 'start' && event.t !== 'error' && event.t !== 'ping' && !this.started)
      this.faults.push(`${event.t} before the start`);
    if ('i' in event) this.block(event);
    else this.other(event);
  }

  private block(event: Extract<StreamEvent, { i: number }>): void {
    const { c, i, t } = event;
    if (this.finished.has(c)) this.faults.push(`${t} after the finish`);
    if (t === 'open') {
      if (this.seen.has(i)) this.faults.push(`block ${String(i)} is opened twice`);
      this.seen.add(i);
      this.open.set(i, c);
      this.candidates.add(c);
    } else if (t !== 'logprobs' && this.open.get(i) !== c)
      this.faults.push(`${t} of a block that is not open`);
    if (t === 'close') this.open.delete(i);
  }

  private other(event: Exclude<StreamEvent, { i: number }>): void {
    switch (event.t) {
      case 'start':
        if (this.started) this.faults.push('a second start');
        this.started = true;
        break;
      case 'finish':
        if (this.finished.has(event.c)) this.faults.push('a second finish');
        if ([...this.open.values()].includes(event.c)) this.faults.push('a finish with open blocks');
        this.finished.add(event.c);
        break;
      case 'done':
        this.done();
        this.ended = true;
        break;
      case 'error':
        this.ended = true;
        break;
      case 'usage':
      case 'ping':
        break;
    }
  }

  private done(): void {
    if (this.open.size > 0) this.faults.push('done with open blocks');
    if (this.finished.size === 0) this.faults.push('done without a finish');
    for (const c of this.candidates) if (!this.finished.has(c)) this.faults.push('done before a finish');
  }
}

function faultsOf(events: readonly StreamEvent[]): string[] {
  const order = new Order();
  for (const event of events) order.take(event);
  const last = events.at(-1)?.t;
  return last === 'done' || last === 'error' ? order.faults : [...order.faults, `ends with ${String(last)}`];
}

/** Returns the text that each client gets. Fails if a client gets anything after the end. */
const writtenFor = (events: readonly StreamEvent[]): { readonly dialect: string; readonly text: string }[] =>
  CONTEXTS.map(({ client, context }) => {
    const encoder = client.encodeStream(context);
    const text = encoder.write(events);
    expect(encoder.write([...events, { t: 'ping' }, { t: 'done' }])).toBe('');
    return { dialect: client.dialect, text };
  });

/** Returns how the stream of each client ended. */
const endsOf = (events: readonly StreamEvent[]): string[] =>
  writtenFor(events).map(({ dialect, text }) =>
    readStream(dialect, text).error === null ? 'done' : 'error',
  );

const stream = fc.constantFrom(...PROVIDER_CODECS.values()).chain((codec) =>
  fc.record({
    codec: fc.constant(codec),
    events: fc
      .tuple(response(MAKERS[codec.dialect]), sizes)
      .map(([plain, lengths]) => providerEvents(codec.dialect, plain, cutBy(lengths))),
  }),
);

/** Edits of a list of events: each removes, repeats, or moves one. */
const edits = fc.array(
  fc.record({ kind: fc.constantFrom('remove', 'repeat', 'move'), from: fc.nat(200), to: fc.nat(200) }),
  { minLength: 1, maxLength: 4 },
);

function edited(
  events: readonly JsonObject[],
  changes: readonly { kind: string; from: number; to: number }[],
): JsonObject[] {
  const result = [...events];
  for (const { kind, from, to } of changes) {
    const at = from % Math.max(1, result.length);
    const event = result[at];
    if (event === undefined) continue;
    if (kind !== 'repeat') result.splice(at, 1);
    if (kind !== 'remove') result.splice(to % (result.length + 1), 0, event);
  }
  return result;
}

describe('events of the streams of all providers', () => {
  it('are in order, and their usage comes after the finish [2.4.6]', () => {
    fc.assert(
      fc.property(stream, ({ codec, events }) => {
        const found = decoded(codec, framed(codec.dialect, events, 'complete'));
        expect(faultsOf(found)).toEqual([]);
        expect(found.at(-1)).toEqual({ t: 'done' });
        const types = found.map(({ t }) => t);
        if (types.includes('usage')) expect(types.indexOf('usage')).toBeGreaterThan(types.indexOf('finish'));
        expect(endsOf(found)).toEqual(CONTEXTS.map(() => 'done'));
      }),
      { numRuns },
    );
  });

  it('end with an error when the stream is cut anywhere before its finish [2.4.6]', () => {
    fc.assert(
      fc.property(stream, fc.double({ min: 0, max: 0.999, noNaN: true }), ({ codec, events }, share) => {
        // Some streams are complete without their last event, which is the usage.
        const whole = framed(codec.dialect, events.slice(0, -2), 'cut');
        const found = decoded(codec, whole.subarray(0, Math.floor(share * whole.length)));
        expect(faultsOf(found)).toEqual([]);
        expect(found.at(-1)?.t).toBe('error');
        expect(endsOf(found)).toEqual(CONTEXTS.map(() => 'error'));
      }),
      { numRuns },
    );
  });

  it('are in order when the events of the provider are not [2.4.6]', () => {
    fc.assert(
      fc.property(stream, edits, ({ codec, events }, changes) => {
        const found = decoded(codec, framed(codec.dialect, edited(events, changes), 'complete'));
        expect(faultsOf(found)).toEqual([]);
        for (const { text } of writtenFor(found)) expect(text).not.toBe('');
      }),
      { numRuns },
    );
  });
});
