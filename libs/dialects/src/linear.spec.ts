import { GatewayError } from '@gw/kernel';
import { builtinSteps } from '@gw/testing';
import type { ProviderCodec, ProviderContext } from './codec';
import { CLIENT_CODECS, PROVIDER_CODECS } from './codecs';
import { LossLedger } from './losses';
import type { StreamEvent } from './response';
import { hostileCalls } from './spec-support/hostile-calls';
import { providerStream } from './spec-support/generators/provider-streams';
import { hostileResponses } from './spec-support/hostile-responses';
import { HELD_STREAMS, hostileStreams, longResponse, openStreams } from './spec-support/hostile-streams';
import { smallCall, targetFor } from './spec-support/targets';

/**
 * Doubling an input takes at most this many times the steps; quadratic work would take four times.
 */
const RATIO_MAX = 2.3;
const COUNT = 200;
const MEBI = 1024 * 1024;
/** No client can send more messages, parts and calls. */
const ENTRIES_MAX = 50_000;
/** Dialects in which arguments are objects, so that their text must be parsed. */
const PARSING: ReadonlySet<string> = new Set(['anthropic-messages', 'bedrock-converse', 'gemini', 'ollama']);

/**
 * Returns the ratio of the steps for two sizes. The first run is a warm-up that loads all code
 * once.
 */
function ratioOf(steps: (count: number) => number): number {
  steps(COUNT);
  return steps(2 * COUNT) / Math.max(COUNT, steps(COUNT));
}

/** Runs `run`. A refusal of the gateway is accepted; any other error fails the test. */
function tolerated(run: () => void): void {
  try {
    run();
  } catch (thrown) {
    if (!(thrown instanceof GatewayError)) throw thrown;
  }
}

/** Returns the error that `run` throws. */
function refusalOf(run: () => unknown): GatewayError {
  try {
    run();
  } catch (thrown) {
    if (thrown instanceof GatewayError) return thrown;
    throw thrown;
  }
  throw new Error('It was not refused.');
}

const CLIENTS = [...CLIENT_CODECS];
const PROVIDERS = [...PROVIDER_CODECS];
const HOSTILE_CALLS = CLIENTS.flatMap(([dialect, client]) =>
  hostileCalls(dialect).map(([name, make]) => [name, dialect, client, make] as const),
);

describe.each(CLIENTS)('decoding a call of %s', (dialect, client) => {
  it.each(hostileCalls(dialect))('takes a number of steps in proportion to %s', (_name, make) => {
    const ratio = ratioOf((count) => {
      const body = make(count);
      return builtinSteps(() => {
        client.decodeCall(body, { model: 'm' });
      });
    });
    expect(ratio).toBeLessThan(RATIO_MAX);
  });
});

describe.each(PROVIDERS)('encoding a call for %s', (_dialect, provider) => {
  const target = targetFor(provider.dialect);
  it.each(HOSTILE_CALLS)(
    'takes a number of steps in proportion to %s, from %s',
    (_name, _from, client, make) => {
      const ratio = ratioOf((count) => {
        const call = client.decodeCall(make(count), { model: 'm' });
        return builtinSteps(() => {
          tolerated(() => {
            const losses = new LossLedger('adapt', target);
            provider.encodeCall(call, target, losses);
            losses.check();
          });
        });
      });
      expect(ratio).toBeLessThan(RATIO_MAX);
    },
  );
});

describe.each(CLIENTS)('decodeCall of %s', (dialect, client) => {
  const decoded = (name: string, count: number): unknown => {
    const make = new Map(hostileCalls(dialect)).get(name);
    return client.decodeCall(make?.(count) ?? {}, { model: 'm' });
  };

  it.each([
    'messages of two roles',
    'parts of a message',
    'calls of a message',
    'images',
    'reasoning of all makers',
  ])('refuses too many %s with an error that names the bound', (name) => {
    const refused = refusalOf(() => decoded(name, ENTRIES_MAX + 1));
    expect(refused.status).toBe(400);
    expect(refused.message).toMatch(/at most \d+/i);
    expect(() => decoded(name, 2_000)).not.toThrow();
  });
});

describe.each(PROVIDERS)('a call for %s', (_dialect, provider) => {
  it.each(CLIENTS)(
    'accepts from %s at most 50000 values in the arguments of all calls',
    (dialect, client) => {
      const make = new Map(hostileCalls(dialect)).get('one long list of arguments');
      const call = client.decodeCall(make?.(60_000) ?? {}, { model: 'm' });
      const target = targetFor(provider.dialect);
      const encode = (): unknown => provider.encodeCall(call, target, new LossLedger('adapt', target)).body;
      if (PARSING.has(provider.dialect)) expect(refusalOf(encode)).toMatchObject({ status: 400 });
      else expect(encode).not.toThrow();
    },
  );
});

const CONTEXTS = CLIENTS.map(([, client]) => {
  const request = smallCall(client);
  const call = client.decodeCall(request, { model: 'm' });
  const facts = { call, requestId: 'r', createdAt: 0 };
  return { client, facts, context: { ...facts, request, provider: 'p', model: 'm' } };
});
const [FIRST] = CONTEXTS;
const contextFor = (provider: ProviderCodec): ProviderContext => {
  if (FIRST === undefined) throw new Error('There is no codec.');
  return { ...FIRST.facts, target: targetFor(provider.dialect) };
};

/** Decodes a stream in pieces of this size, and encodes it for all clients. */
function streamed(provider: ProviderCodec, bytes: Buffer, size = bytes.length): StreamEvent[] {
  const decoder = provider.decodeStream(contextFor(provider));
  const encoders = CONTEXTS.map(({ client, context }) => client.encodeStream(context));
  const all: StreamEvent[] = [];
  const take = (events: StreamEvent[]): void => {
    for (const encoder of encoders) encoder.write(events);
    for (const event of events) all.push(event);
  };
  for (let at = 0; at < bytes.length; at += size) take(decoder.write(bytes.subarray(at, at + size)));
  take(decoder.end());
  return all;
}

describe.each(PROVIDERS)('translating from %s for every client', (dialect, provider) => {
  it.each(hostileResponses(dialect))(
    'takes a number of steps in proportion to a response with growing %s',
    (_name, make) => {
      const ratio = ratioOf((count) => {
        const body = make(count);
        return builtinSteps(() => {
          const response = provider.decodeResponse(body, contextFor(provider));
          for (const { client, context } of CONTEXTS) client.encodeResponse(response, context);
        });
      });
      expect(ratio).toBeLessThan(RATIO_MAX);
    },
  );

  it.each(hostileStreams(dialect))(
    'takes a number of steps in proportion to a stream with growing %s',
    (_name, make) => {
      const ratio = ratioOf((count) => {
        const bytes = make(count);
        return builtinSteps(() => streamed(provider, bytes));
      });
      expect(ratio).toBeLessThan(RATIO_MAX);
    },
  );

  it('takes a number of steps in proportion to a stream in pieces of 10 bytes', () => {
    const [, [, make] = []] = hostileStreams(dialect);
    const ratio = ratioOf((count) => {
      const bytes = make?.(Math.floor(count / 10)) ?? Buffer.alloc(0);
      return builtinSteps(() => streamed(provider, bytes, 10));
    });
    expect(ratio).toBeLessThan(RATIO_MAX);
  });
});

const OPEN_STREAMS = PROVIDERS.flatMap(([dialect, provider]) =>
  openStreams(dialect).map(([name, make]) => [dialect, name, provider, make] as const),
);
const BROKEN = { t: 'error', fault: { code: 'provider_answer_invalid' } };

describe('a stream of a provider', () => {
  it.each(OPEN_STREAMS)('fails a stream of %s with too many %s', (_dialect, _name, provider, make) => {
    expect(streamed(provider, make(200)).at(-1)).not.toMatchObject(BROKEN);
    expect(streamed(provider, make(5_000)).at(-1)).toMatchObject(BROKEN);
  });

  it.each(HELD_STREAMS)(
    'fails a stream of %s when more than 1 MiB of %s must be buffered',
    (dialect, _name, make) => {
      const provider = PROVIDER_CODECS.get(dialect);
      if (provider === undefined) throw new Error(`No codec of ${dialect}`);
      expect(streamed(provider, make(500_000)).at(-1)).not.toMatchObject(BROKEN);
      expect(streamed(provider, make(1_100_000)).at(-1)).toMatchObject(BROKEN);
    },
  );

  it.each(PROVIDERS)('fails a stream of %s with an event above the maximum', (dialect, provider) => {
    const bytes = providerStream(
      dialect,
      longResponse(dialect === 'bedrock-converse' ? 17 * MEBI : 9 * MEBI),
      (text) => [text],
    );
    expect(streamed(provider, bytes, MEBI).at(-1)).toMatchObject(BROKEN);
  });

  it.each(PROVIDERS)(
    'reads a stream of %s with an event of 256 KiB in pieces of 10 bytes',
    (dialect, provider) => {
      const bytes = providerStream(dialect, longResponse(MEBI / 4), (text) => [text]);
      expect(streamed(provider, bytes, 10).at(-1)).toEqual({ t: 'done' });
    },
  );
});

describe.each(CLIENTS)('a call of %s', (dialect, client) => {
  it('with an image of 8 MiB is translated for every provider', () => {
    const make = new Map(hostileCalls(dialect)).get('bytes of an image');
    const call = client.decodeCall(make?.(8 * MEBI) ?? {}, { model: 'm' });
    for (const [, provider] of PROVIDERS) {
      const target = targetFor(provider.dialect);
      const losses = new LossLedger('strict', target);
      const { body } = provider.encodeCall(call, target, losses);
      losses.check();
      expect(JSON.stringify(body).length).toBeGreaterThan(8 * MEBI);
    }
  });
});
