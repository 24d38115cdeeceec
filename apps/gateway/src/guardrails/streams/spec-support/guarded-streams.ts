import { StubProvider, type StubStep } from '@gw/testing';
import { GatewayHarness } from '../../../spec-support/harness';
import { TestClient, type TestResponse } from '../../../spec-support/test-client';

/** A request whose response `@main` streams in pieces, and which an output guardrail judges. */
interface GuardedCall {
  readonly guardrail: object;
  /** The response: its only piece, or its steps. */
  readonly stream: string | readonly StubStep[];
  readonly path?: string;
}

export interface GuardedStreams {
  readonly gateway: GatewayHarness;
  readonly stub: StubProvider;
  /** Lets the next request get the stream. */
  respond(stream: GuardedCall['stream']): void;
  /** Sends a request and returns its whole response. */
  ask(call: GuardedCall): Promise<TestResponse>;
  /** Sends a request and returns its response before the stream has arrived. */
  open(call: GuardedCall): Promise<Response>;
}

/** A body that the routes of chat completions and of responses accept. */
const BODY = { model: 'm', stream: true, messages: [{ role: 'user', content: 'Hi' }], input: 'Hi' };

/** Starts a gateway with the provider `@main` for all tests of a suite. */
export function guardedStreams(environment: Record<string, string> = {}): GuardedStreams {
  let gateway: GatewayHarness;
  let stub: StubProvider;
  const client = new TestClient(() => gateway);
  beforeAll(async () => {
    gateway = await GatewayHarness.start(environment);
    stub = await StubProvider.start();
    gateway.addProvider('main', 'openai', stub.origin);
  });
  afterAll(async () => {
    await Promise.all([gateway.stop(), stub.stop()]);
  });
  const respond: GuardedStreams['respond'] = (stream) => {
    const steps = typeof stream === 'string' ? [{ chunk: stream }] : stream;
    stub.respond({ headers: { 'content-type': 'text/event-stream' }, steps });
  };
  const sent = ({ guardrail, stream, path = '/chat/completions' }: GuardedCall) => {
    respond(stream);
    return [path, BODY, { config: { provider: '@main', output_guardrails: [guardrail] } }] as const;
  };
  return {
    get gateway() {
      return gateway;
    },
    get stub() {
      return stub;
    },
    respond,
    ask: (call) => client.ask(...sent(call)),
    open: (call) => client.open(...sent(call)),
  };
}
