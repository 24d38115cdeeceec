import { createOpenResponses } from '@ai-sdk/open-responses';
import { run } from './ai-sdk.mjs';
import { GATEWAY, KEY, MODEL, PROVIDER } from './turn.mjs';

const responses = createOpenResponses({
  name: 'tollgate',
  url: `${GATEWAY}/responses`,
  apiKey: KEY,
  headers: PROVIDER,
});
await run(responses(MODEL));
