import { NO_CAPABILITIES } from '@gw/mcp';
import { eventually } from '@gw/testing';
import type { InputHandling } from './calls/call-event';
import { closedAfterEach, eventsOf, failureOf, json, result, type Received } from './spec-support/fixture';
import type { UpstreamTimeouts } from './limits';
import { modernServer } from './spec-support/modern-server';

const { serve, upstream } = closedAfterEach();
const FORM = { ...NO_CAPABILITIES, form: true };
const DONE = { resultType: 'complete', content: [] };
const elicitation = { method: 'elicitation/create', params: { message: 'City?', requestedSchema: {} } };
const REQUIRED = { resultType: 'input_required', inputRequests: { r1: elicitation }, requestState: 'state' };
const accepted = { action: 'accept', content: { city: 'Jena' } };

const handling = (respond: InputHandling['respond'], context = {}): InputHandling => ({
  context: { capabilities: FORM, ownHosts: [], allowSampling: false, ...context },
  respond,
});
const paramsOf = (received: Received) => received.message['params'] as Readonly<Record<string, unknown>>;

/**
 * Starts an upstream that responds to the calls of a tool with the given results, one after the
 * other.
 */
async function answering(...results: readonly unknown[]) {
  return answeringWithin({}, ...results);
}
async function answeringWithin(timeouts: Partial<UpstreamTimeouts>, ...results: readonly unknown[]) {
  let count = 0;
  const server = await serve(
    modernServer({
      'tools/call': (received, res) => {
        json(res, result(received, results[Math.min(count, results.length - 1)]));
        count += 1;
      },
    }),
  );
  return { server, client: upstream(server.url, { protocol: 'modern', capabilities: FORM, timeouts }) };
}
const call = { name: 'w', arguments: { a: 1 } };

describe('input_required of a modern upstream', () => {
  it('calls the callback, and repeats the call with a new id, the responses and the state', async () => {
    const { server, client } = await answering(REQUIRED, DONE);
    const seen: unknown[] = [];
    const input = handling((request) => {
      seen.push(request);
      return Promise.resolve(accepted);
    });
    expect(await eventsOf(client.call(call, { input }))).toMatchObject([{ kind: 'result', result: DONE }]);
    expect(seen).toEqual([elicitation]);
    const [first, second] = server.received;
    expect(second && paramsOf(second)).toMatchObject({
      ...call,
      inputResponses: { r1: accepted },
      requestState: 'state',
    });
    expect(second?.message['id']).not.toBe(first?.message['id']);
  });

  it('reports a call as possibly executed if its second round could not be sent', async () => {
    const { client } = await answering(REQUIRED, DONE);
    const headers: Record<string, string> = {};
    const input = handling(() => {
      headers['host'] = 'refused.example';
      return Promise.resolve(accepted);
    });
    expect(await failureOf(eventsOf(client.call(call, { input, headers })))).toMatchObject({
      ...{ kind: 'protocol', mayHaveExecuted: true },
    });
  });

  it('fails the call without a callback', async () => {
    const { server, client } = await answering(REQUIRED);
    expect(await failureOf(eventsOf(client.call(call)))).toMatchObject({ kind: 'input_refused' });
    expect(server.received).toHaveLength(1);
  });

  it.each([
    ['refuses', () => Promise.resolve(null)],
    ['fails', () => Promise.reject(new Error('broken'))],
    ['responds with another shape', () => Promise.resolve({ roots: [] })],
  ])('fails the call when the callback %s', async (_, respond) => {
    const { client } = await answering(REQUIRED);
    expect(await failureOf(eventsOf(client.call(call, { input: handling(respond) })))).toMatchObject({
      kind: 'input_refused',
    });
  });

  it('is the last event with relay', async () => {
    const { client } = await answering(REQUIRED);
    expect(await eventsOf(client.call(call, { input: 'relay' }))).toEqual([
      { kind: 'input_required', result: REQUIRED },
    ]);
  });

  it('never reaches the callback if the caller did not declare the capability', async () => {
    const { client } = await answering(REQUIRED);
    const respond = jest.fn();
    const events = await eventsOf(
      client.call(call, { input: handling(respond, { capabilities: NO_CAPABILITIES }) }),
    );
    expect(events).toMatchObject([{ kind: 'result', result: { isError: true } }]);
    expect(respond).not.toHaveBeenCalled();
  });

  it('pauses the deadline of the call while the callback runs, and limits that wait', async () => {
    // On a busy machine the call may take too long before the callback is called.
    await eventually(async () => {
      const { client } = await answeringWithin({ inputMs: 300 }, REQUIRED, DONE);
      const signals: AbortSignal[] = [];
      const input = handling((_, signal) => {
        signals.push(signal);
        return new Promise<never>(() => undefined);
      });
      expect(await failureOf(eventsOf(client.call(call, { input, timeoutMs: 100 })))).toMatchObject({
        ...{ kind: 'timeout', phase: 'input', mayHaveExecuted: true },
      });
      expect(signals.map(({ aborted }) => aborted)).toEqual([true]);
      return true;
    });
  });

  it('ends with a tool error when a server requests input for ever', async () => {
    const { server, client } = await answering(REQUIRED);
    const events = await eventsOf(client.call(call, { input: handling(() => Promise.resolve(accepted)) }));
    expect(events).toMatchObject([{ kind: 'result', result: { isError: true } }]);
    expect(server.received).toHaveLength(11);
  });
});
