import { createAnthropic } from '@ai-sdk/anthropic';
import { run } from './ai-sdk.mjs';
import { GATEWAY, KEY, MODEL, PROVIDER } from './turn.mjs';

await run(
  createAnthropic({ baseURL: GATEWAY, apiKey: KEY, headers: { ...PROVIDER, 'x-gw-api-key': KEY } })(MODEL),
);
