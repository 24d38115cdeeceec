import { OpenAI } from '@llamaindex/openai';
import { tool } from 'llamaindex';
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

const llm = new OpenAI({
  apiKey: KEY,
  model: MODEL,
  baseURL: GATEWAY,
  additionalSessionOptions: { defaultHeaders: PROVIDER },
});
Object.defineProperty(llm, 'supportToolCall', { value: true });
const own = tool({
  name: TOOL,
  description: DESCRIPTION,
  parameters: z.object({ city: z.string() }),
  execute: weather,
});

async function* textsOf(stream) {
  for await (const { delta } of stream) yield delta;
}

const messages = [{ role: 'user', content: QUESTION }];
const { message } = await llm.chat({ messages, tools: [own] });
const [call] = message.options.toolCall;
const result = await own.call(typeof call.input === 'string' ? JSON.parse(call.input) : call.input);
messages.push(message, {
  role: 'user',
  content: result,
  options: { toolResult: { id: call.id, result, isError: false } },
});
checkTurn((await llm.chat({ messages, tools: [own] })).message.content);
checkText(
  await joined(textsOf(await llm.chat({ messages: [{ role: 'user', content: 'Hello' }], stream: true }))),
);
