import OpenAI from 'openai';
import { StubProvider } from '@gw/testing';
import { GatewayHarness } from './harness';

/**
 * A gateway, its provider `@main` (a stub on loopback), and openai’s client that calls it through
 * the gateway.
 */
export async function openaiThroughGateway(): Promise<{
  gateway: GatewayHarness;
  stub: StubProvider;
  openai: OpenAI;
}> {
  const [gateway, stub] = await Promise.all([GatewayHarness.start(), StubProvider.start()]);
  gateway.addProvider('main', 'openai', stub.origin);
  const openai = new OpenAI({
    apiKey: gateway.apiKey,
    baseURL: gateway.baseUrl,
    maxRetries: 0,
    defaultHeaders: { 'x-gw-provider': '@main' },
  });
  return { gateway, stub, openai };
}
