import { createGoogleGenerativeAI } from '@ai-sdk/google';
import { run } from './ai-sdk.mjs';
import { KEY, MODEL, ORIGIN, PROVIDER } from './turn.mjs';

await run(createGoogleGenerativeAI({ baseURL: `${ORIGIN}/v1beta`, apiKey: KEY, headers: PROVIDER })(MODEL));
