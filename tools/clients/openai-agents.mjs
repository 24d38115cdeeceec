import {
  Agent,
  OpenAIChatCompletionsModel,
  OpenAIResponsesModel,
  run,
  setTracingDisabled,
  tool,
} from '@openai/agents';
import OpenAI from 'openai';
import { z } from 'zod';
import {
  checkText,
  checkTurn,
  DESCRIPTION,
  GATEWAY,
  joined,
  KEY,
  MODEL,
  PROVIDER,
  QUESTION,
  TOOL,
  weather,
} from './turn.mjs';

setTracingDisabled(true);
const client = new OpenAI({ baseURL: GATEWAY, apiKey: KEY, defaultHeaders: PROVIDER });
const own = tool({
  name: TOOL,
  description: DESCRIPTION,
  parameters: z.object({ city: z.string() }),
  execute: weather,
});

for (const model of [
  new OpenAIChatCompletionsModel(client, MODEL),
  new OpenAIResponsesModel(client, MODEL),
]) {
  const agent = new Agent({ name: 'a', instructions: 'Be brief.', model, tools: [own] });
  checkTurn((await run(agent, QUESTION)).finalOutput);
  const streamed = await run(agent, 'Hello', { stream: true });
  checkText(await joined(streamed.toTextStream()));
  await streamed.completed;
}
