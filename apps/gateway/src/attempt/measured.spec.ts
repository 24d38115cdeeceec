import { eventually, StubProvider, type RecordedRequest, type StubResponse } from '@gw/testing';
import { GatewayHarness } from '../spec-support/harness';

/** With this random value a choice between equal targets takes the first. */
const FIRST = 0.3;
const SECOND = 0.7;

const responses: Readonly<Record<string, StubResponse>> = {
  answer: { body: {} },
  refuse: { status: 500, body: {} },
  stream: { steps: [{ chunk: 'begun' }, { hang: true }] },
  break: { steps: [{ chunk: 'begun' }, { cut: 'reset' }] },
  silence: { neverRespond: true },
};

describe('targets chosen by measurement', () => {
  let gateway: GatewayHarness;
  let first: StubProvider;
  let second: StubProvider;
  let leaving: AbortController;
  let dice = FIRST;

  beforeEach(async () => {
    jest.spyOn(Math, 'random').mockImplementation(() => dice);
    dice = FIRST;
    leaving = new AbortController();
    gateway = await GatewayHarness.start();
    [first, second] = await Promise.all([StubProvider.start(), StubProvider.start()]);
    gateway.addProvider('first', 'openai', first.origin);
    gateway.addProvider('second', 'openai', second.origin);
  });
  afterEach(async () => {
    leaving.abort();
    await Promise.all([gateway.stop(), first.stop(), second.stop()]);
    jest.restoreAllMocks();
  });

  const configOf = (algorithm: string, targets: readonly object[]) => ({
    strategy: { mode: 'loadbalance', algorithm },
    targets,
  });
  const both = [{ provider: '@first' }, { provider: '@second' }];

  const send = (path: string, body: object, config: object, signal?: AbortSignal): Promise<Response> =>
    fetch(`${gateway.baseUrl}${path}`, {
      method: 'POST',
      headers: {
        'content-type': 'application/json',
        'x-gw-api-key': gateway.apiKey,
        'x-gw-config': JSON.stringify(config),
      },
      body: JSON.stringify(body),
      ...(signal && { signal }),
    });

  describe('least_busy', () => {
    const config = configOf('least_busy', both);
    const scripted = (request: RecordedRequest): StubResponse =>
      responses[(JSON.parse(request.body.toString()) as { act: string }).act] ?? {};

    beforeEach(() => {
      first.respond(scripted);
      second.respond(scripted);
    });

    const act = (name: string, signal?: AbortSignal, by: object = config): Promise<Response> =>
      send('/any/endpoint', { act: name }, by, signal);

    async function chosen(): Promise<'first' | 'second'> {
      const before = first.requests.length;
      await (await act('answer')).text();
      return first.requests.length > before ? 'first' : 'second';
    }

    /** True when random values alone decide between the targets, so both are equally busy. */
    async function areEquallyBusy(): Promise<boolean> {
      dice = FIRST;
      const one = await chosen();
      dice = SECOND;
      const other = await chosen();
      dice = FIRST;
      return one === 'first' && other === 'second';
    }

    it('prefers the idle target while the other one is sending a response', async () => {
      const open = await act('stream', leaving.signal);
      expect(first.requests).toHaveLength(1);
      expect([await chosen(), await chosen()]).toEqual(['second', 'second']);
      leaving.abort();
      await expect(open.text()).rejects.toThrow();
      await eventually(areEquallyBusy);
    });

    describe('count of busy requests of a target', () => {
      // One response is in flight at each target, so that a request subtracted twice shows. A
      // response without a reader is cancelled when it is garbage-collected, hence the references.
      let open: Response[] = [];

      beforeEach(async () => {
        open = [await act('stream', leaving.signal)];
        dice = SECOND;
        open.push(await act('stream', leaving.signal));
        dice = FIRST;
        expect([first.requests.length, second.requests.length]).toEqual([1, 1]);
      });
      afterEach(() => {
        expect(open.map(({ bodyUsed }) => bodyUsed)).toEqual([false, false]);
      });

      it.each([
        ['the response is complete', 'answer'],
        ['the provider refuses the request', 'refuse'],
        ['the response breaks off', 'break'],
      ])('decreases once when %s', async (_, name) => {
        await (await act(name)).text().catch(() => undefined);
        expect(first.requests).toHaveLength(2);
        await eventually(areEquallyBusy);
      });

      it.each([
        ['during the response', 'stream'],
        ['before the response', 'silence'],
      ])('decreases once when the client disconnects %s', async (_, name) => {
        const client = new AbortController();
        const requested = act(name, client.signal).then((response) => response.text());
        await first.waitForRequest(2);
        expect(await chosen()).toBe('second');
        client.abort();
        await expect(requested).rejects.toThrow();
        await eventually(areEquallyBusy);
      });

      it('decreases once when another target is tried next', async () => {
        const nested = configOf('least_busy', [
          {
            strategy: { mode: 'fallback' },
            targets: [{ provider: '@first', retry: { attempts: 1 } }, ...both],
          },
        ]);
        await (await act('refuse', undefined, nested)).text();
        expect(second.requests).toHaveLength(2);
        await eventually(areEquallyBusy);
      });
    });
  });

  describe('least_cost', () => {
    const ask = async (targets: readonly object[]): Promise<void> => {
      const body = { model: 'gpt-4o', messages: [{ role: 'user', content: 'Hi' }] };
      const response = await send('/chat/completions', body, configOf('least_cost', targets));
      expect(response.status).toBe(200);
      await response.text();
    };

    it('measures the cost of a call from the usage in its response', async () => {
      const costing = (tokens: number) => ({
        model: 'gpt-4o',
        choices: [],
        usage: { prompt_tokens: tokens, completion_tokens: tokens, total_tokens: 2 * tokens },
      });
      first.respondJson(costing(5_000));
      second.respondJson(costing(50));
      await ask(both);
      await ask(both);
      expect([first.requests.length, second.requests.length]).toEqual([2, 0]);
      await ask([{ provider: '@second' }]);
      await ask(both);
      expect([first.requests.length, second.requests.length]).toEqual([2, 2]);
    });
  });
});
