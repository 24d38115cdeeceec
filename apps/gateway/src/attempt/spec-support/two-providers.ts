import { StubProvider } from '@gw/testing';
import { GatewayHarness } from '../../spec-support/harness';

export interface TwoProviders {
  readonly gateway: GatewayHarness;
  readonly first: StubProvider;
  readonly second: StubProvider;
}

/**
 * Starts a gateway with the providers `@first` and `@second`, new for each test. By default
 * `@second` responds. Call the returned function inside a test.
 */
export function withTwoProviders(environment: Record<string, string> = {}): () => TwoProviders {
  let made: TwoProviders | undefined;
  beforeEach(async () => {
    const gateway = await GatewayHarness.start(environment);
    const [first, second] = await Promise.all([StubProvider.start(), StubProvider.start()]);
    second.respondJson({ from: 'second' });
    gateway.addProvider('first', 'openai', first.origin);
    gateway.addProvider('second', 'openai', second.origin);
    made = { gateway, first, second };
  });
  afterEach(async () => {
    await Promise.all([made?.gateway.stop(), made?.first.stop(), made?.second.stop()]);
  });
  return () => {
    if (!made) throw new Error('The providers are available from beforeEach on.');
    return made;
  };
}
