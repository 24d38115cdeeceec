import { createOpenAI } from '@ai-sdk/openai';
import { run } from './ai-sdk.mjs';
import { GATEWAY, KEY, MODEL, PROVIDER } from './turn.mjs';

const openai = createOpenAI({ baseURL: GATEWAY, apiKey: KEY, headers: PROVIDER });
await run(openai.chat(MODEL));
await run(openai.responses(MODEL));
