import { IncomingMessage, ServerResponse } from 'node:http';
import { once } from 'node:events';
import { Socket } from 'node:net';
import type { LogRecord } from '@gw/contracts';
import { GatewayError } from '@gw/kernel';
import { PROVIDERS, providerOfRow, registryOf, row, type Provider, type StreamTap } from '@gw/providers';
import { eventually, StubProvider, type StubResponse } from '@gw/testing';
import { WebSocket } from 'ws';
import { budget } from '../limits/spec-support/cent-calls';
import { WholeResponse } from '../http/whole-response';
import { SocketProvider } from '../realtime/spec-support/socket-provider';
import { Reply } from '../reply/reply';
import { routeOf } from '../routes/route-table';
import { GatewayHarness } from '../spec-support/harness';
import { Faults } from './faults';
import { RequestContext, type Containment } from './request-context';

const bug = (): never => {
  throw new TypeError('a bug of a parser');
};
const definition = (id: string): Provider =>
  providerOfRow(row(id, id, 'https://api.acme.example/v1', 'chat', { prices: 'openai' }));
const spread = (id: string, over: Partial<Provider>): Provider => ({ ...definition(id), ...over });

/** Makes a tap throw from its nth write on. */
function faultyFrom(nth: number, tap: StreamTap): StreamTap {
  const write = tap.write.bind(tap);
  let writes = 0;
  tap.write = (chunk) => {
    writes += 1;
    if (writes >= nth) bug();
    write(chunk);
  };
  return tap;
}

/** Providers with a parser that throws. */
const FAULTY = [
  spread('bad-error', { error: bug }),
  spread('bad-usage', { usage: bug }),
  spread('bad-tap', { tap: () => faultyFrom(2, definition('x').tap()) }),
  spread('bad-end', { tap: () => Object.assign(definition('x').tap(), { usage: bug }) }),
  spread('no-tap', { tap: bug }),
  { ...(PROVIDERS.get('openai') as Provider), id: 'bad-socket', aliases: [], usage: bug },
];

const USAGE = { prompt_tokens: 1_000, completion_tokens: 10 };
const OK: StubResponse = { body: { id: 'a', model: 'gpt-4o', choices: [], usage: USAGE } };
const event = (text: string): string =>
  `data: ${JSON.stringify({ id: 'c', model: 'gpt-4o', choices: [{ index: 0, delta: { content: text } }] })}\n\n`;
const STREAM: StubResponse = {
  headers: { 'content-type': 'text/event-stream' },
  steps: [{ chunk: event('a') }, { chunk: event('b') }, { chunk: 'data: [DONE]\n\n' }],
};
const INTERNAL = { error: { type: 'internal_error' } };

describe('an exception in the code of a request', () => {
  let gateway: GatewayHarness;
  let stub: StubProvider;

  beforeEach(async () => {
    const providers = registryOf([...PROVIDERS.values(), ...FAULTY]);
    gateway = await GatewayHarness.start({}, null, undefined, providers);
    stub = await StubProvider.start();
    for (const { id } of [...FAULTY, { id: 'openai' }]) gateway.addProvider(id, id, stub.origin);
    gateway.addKey(gateway.apiKey, { usageLimits: [budget({ creditLimit: 10 })] });
  });
  afterEach(async () => {
    jest.restoreAllMocks();
    await Promise.all([gateway.stop(), stub.stop()]);
  });

  const ask = (provider: string, body: object = {}, signal: AbortSignal | null = null) =>
    fetch(`${gateway.baseUrl}/chat/completions`, {
      method: 'POST',
      headers: {
        'content-type': 'application/json',
        'x-gw-api-key': gateway.apiKey,
        'x-gw-provider': provider,
      },
      signal,
      body: JSON.stringify({ model: 'gpt-4o', messages: [], ...body }),
    });
  /** Makes the next record fail. */
  const breakJournal = (): void => {
    jest.spyOn(gateway.journal, 'append').mockImplementationOnce(bug);
  };
  const record = () => eventually(async () => (await gateway.records()).at(-1));
  /** Reservations are settled, in-flight lists are empty, and the next request is served. */
  const isOver = async (faults: number): Promise<void> => {
    expect(gateway.faults.counts.get('request')).toBe(faults);
    expect(gateway.plane.requestsInFlight.isEmpty).toBe(true);
    stub.respond(OK);
    const next = await ask('@openai');
    expect([next.status, await next.json()]).toMatchObject([200, { id: 'a' }]);
    expect(await gateway.records()).toHaveLength(2);
  };

  it('at the end of an error response is an error', async () => {
    stub.respond({ status: 400, body: { error: { message: 'no' } } });
    const response = await ask('@bad-error');
    expect([response.status, await response.json()]).toMatchObject([500, INTERNAL]);
    expect(await record()).toMatchObject({ outcome: 'failed', errorType: 'internal_error', status: 500 });
    await isOver(1);
  });

  it('while usage is read is an error, and the estimate is charged once', async () => {
    stub.respond(OK);
    const response = await ask('@bad-usage');
    expect([response.status, await response.json()]).toMatchObject([500, INTERNAL]);
    const { decision, ...logged } = (await record()) as LogRecord;
    expect(logged).toMatchObject({ outcome: 'failed', errorType: 'internal_error', priced: 'estimated' });
    expect(logged.cost).toBeGreaterThan(0);
    expect(decision.charges).toMatchObject([{ line: 'primary', cost: logged.cost, flags: ['estimated'] }]);
    expect(decision.charges?.[0]?.counters).toHaveLength(1);
    await isOver(1);
  });

  it('while the usage of a stream is read cuts it before its last event', async () => {
    stub.respond(STREAM);
    const response = await ask('@bad-end', { stream: true });
    expect(response.status).toBe(200);
    await expect(response.text()).rejects.toThrow();
    expect(await record()).toMatchObject({ outcome: 'interrupted', errorType: 'internal_error' });
    await isOver(1);
  });

  it('while an event is read ends the stream with an error event', async () => {
    let goOn = (): void => undefined;
    const until = new Promise<void>((resolve) => (goOn = resolve));
    stub.respond({
      ...STREAM,
      steps: [{ chunk: event('a') }, { until }, { chunk: event('b') }, { hang: true }],
    });
    const response = await ask('@bad-tap', { stream: true });
    goOn();
    expect(await response.text()).toContain('stream_interrupted');
    expect(await record()).toMatchObject({ outcome: 'interrupted', errorType: 'stream_interrupted' });
    await isOver(1);
  });

  it('while the response is prepared is an error', async () => {
    stub.respond(STREAM);
    const response = await ask('@no-tap', { stream: true });
    expect([response.status, await response.json()]).toMatchObject([500, INTERNAL]);
    expect(await record()).toMatchObject({ outcome: 'failed', errorType: 'internal_error' });
    expect(gateway.plane.requestsInFlight.isEmpty).toBe(true);
  });

  it('while the record is written is an error, and the actual use is charged once', async () => {
    breakJournal();
    stub.respond(OK);
    const response = await ask('@openai');
    expect([response.status, await response.json()]).toMatchObject([500, INTERNAL]);
    const cost = 1_000 * 250 + 10 * 1_000;
    expect(await record()).toMatchObject({ outcome: 'failed', errorType: 'internal_error', cost });
    expect((await record())?.decision.charges).toMatchObject([{ cost, tokens: 1_010 }]);
    await isOver(1);
  });

  it('keeps the charges of earlier attempts when no provider responded', async () => {
    stub.respond(
      { status: 500, body: { error: { message: 'no' }, model: 'gpt-4o', usage: USAGE } },
      { raw: '' },
    );
    breakJournal();
    const response = await fetch(`${gateway.baseUrl}/chat/completions`, {
      method: 'POST',
      headers: {
        'content-type': 'application/json',
        'x-gw-api-key': gateway.apiKey,
        'x-gw-config': JSON.stringify({ provider: '@openai', retry: { attempts: 1 } }),
      },
      body: JSON.stringify({ model: 'gpt-4o', messages: [] }),
    });
    expect(response.status).toBe(500);
    const logged = await record();
    expect(logged.decision.attempts).toHaveLength(2);
    const cost = 1_000 * 250 + 10 * 1_000;
    expect(logged).toMatchObject({ cost, decision: { charges: [{ cost, tokens: 1_010 }] } });
  });

  it('while every record is written still ends the request', async () => {
    const { journal } = gateway;
    const append = jest.spyOn(journal, 'append').mockImplementation(bug);
    stub.respond(OK);
    const response = await ask('@openai');
    expect([response.status, await response.json()]).toMatchObject([500, INTERNAL]);
    expect(gateway.faults.counts.get('request')).toBe(2);
    expect(gateway.plane.requestsInFlight.isEmpty).toBe(true);
    append.mockRestore();
  });

  it('while the error is prepared cuts the response', async () => {
    breakJournal();
    jest.spyOn(Reply.prototype, 'replaceBy').mockImplementationOnce(bug);
    stub.respond(OK);
    await expect(ask('@openai')).rejects.toThrow();
    expect(await record()).toMatchObject({ outcome: 'interrupted', errorType: 'internal_error' });
    await isOver(2);
  });

  it('while the response is sent cuts it', async () => {
    const endWhole = jest.spyOn(WholeResponse.prototype, 'endWhole').mockImplementationOnce(bug);
    stub.respond(OK);
    await expect(ask('@openai')).rejects.toThrow();
    endWhole.mockRestore();
    await isOver(1);
  });

  it('in a session closes it', async () => {
    const provider = await SocketProvider.start();
    gateway.addProvider('bad-socket', 'bad-socket', provider.origin);
    const client = new WebSocket(`${gateway.baseUrl.replace('http', 'ws')}/realtime?model=m`, {
      headers: { 'x-gw-api-key': gateway.apiKey, 'x-gw-provider': '@bad-socket' },
    });
    const closed = new Promise((resolve) => {
      client.once('close', (code, reason) => resolve([code, reason.toString()]));
    });
    await once(client, 'open');
    const { socket } = await provider.connection(0);
    socket.send(JSON.stringify({ type: 'response.done', response: { id: 'r', usage: USAGE } }));
    expect(await closed).toEqual([1011, 'Something went wrong on our side.']);
    expect(await record()).toMatchObject({ outcome: 'interrupted', errorType: 'internal_error' });
    await isOver(1);
    await provider.stop();
  });

  it('after its client has left is contained', async () => {
    stub.respond({ ...STREAM, steps: [{ chunk: event('a') }, { hang: true }] });
    const aborted = new AbortController();
    const response = await ask('@bad-end', { stream: true }, aborted.signal);
    expect(response.status).toBe(200);
    aborted.abort();
    expect(await record()).toMatchObject({ outcome: 'client_closed', priced: 'estimated' });
    await isOver(1);
  });
});

describe('Faults', () => {
  const lines: object[] = [];
  const faults = new Faults({ error: (line: object) => void lines.push(line) });
  const context = { id: 'request-1', res: { destroy: jest.fn() } } as unknown as RequestContext;

  it('logs the exception with the id of its request, counts it, and returns an error for the client', () => {
    const own = new GatewayError('unavailable');
    expect(faults.ofRequest(context, own)).toBe(own);
    expect(faults.ofRequest(context, new TypeError('bug')).type).toBe('internal_error');
    expect(lines.at(-1)).toMatchObject({ requestId: 'request-1', fault: 'TypeError', message: 'bug' });
    faults.ofProcess('no error object', 'unhandled exception');
    expect([...faults.counts]).toEqual([
      ['request', 2],
      ['process', 1],
    ]);
  });

  it('goes on after a step that throws, and cuts a response whose end throws', () => {
    expect(faults.contained(context, () => undefined)).toBe(true);
    expect(faults.contained(context, bug)).toBe(false);
    faults.endAfter(context, () => undefined);
    expect(context.res.destroy).not.toHaveBeenCalled();
    faults.endAfter(context, bug);
    expect(context.res.destroy).toHaveBeenCalledTimes(1);
  });
});

describe('RequestContext.guard', () => {
  const contextWith = (contain: Containment['contain'] | null): RequestContext => {
    const req = new IncomingMessage(new Socket());
    const context = new RequestContext(
      'id',
      req,
      new ServerResponse(req),
      'GET',
      '/',
      '',
      routeOf('GET', '/models'),
    );
    if (contain !== null) context.containment = { contain, interrupt: bug, faults: { ofRequest: bug } };
    return context;
  };

  it('passes what work throws or rejects with to the pipeline, and nothing else', async () => {
    const contain = jest.fn();
    const context = contextWith(contain);
    context.guard(() => Promise.resolve());
    context.guard(() => 1);
    expect(contain).not.toHaveBeenCalled();
    context.guard(bug);
    context.guard(() => Promise.reject(new Error('late')));
    await new Promise(setImmediate);
    expect(
      contain.mock.calls.map(([of, { message }]: [unknown, Error]) => [of === context, message]),
    ).toEqual([
      [true, 'a bug of a parser'],
      [true, 'late'],
    ]);
  });

  it('covers listeners of a client that leaves', () => {
    const contain = jest.fn();
    const context = contextWith(contain);
    context.whenClientGone({ clientGone: bug });
    context.res.emit('close');
    expect(contain).toHaveBeenCalledTimes(1);
  });

  it('throws outside of a pipeline', () => {
    expect(() => contextWith(null).guard(bug)).toThrow('a bug of a parser');
  });
});
