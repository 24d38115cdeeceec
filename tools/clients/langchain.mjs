import { ChatAnthropic } from '@langchain/anthropic';
import { HumanMessage, ToolMessage } from '@langchain/core/messages';
import { tool } from '@langchain/core/tools';
import { ChatOpenAI } from '@langchain/openai';
import { z } from 'zod';
import {
  checkText,
  checkTurn,
  DESCRIPTION,
  GATEWAY,
  joined,
  KEY,
  MODEL,
  ORIGIN,
  PROVIDER,
  QUESTION,
  TOOL,
  weather,
} from './turn.mjs';

const own = tool(weather, { name: TOOL, description: DESCRIPTION, schema: z.object({ city: z.string() }) });

async function* textsOf(stream) {
  for await (const chunk of stream) yield chunk.text;
}

async function run(model) {
  const withTool = model.bindTools([own]);
  const messages = [new HumanMessage(QUESTION)];
  const first = await withTool.invoke(messages);
  messages.push(first);
  for (const call of first.tool_calls) {
    const content = await own.invoke(call.args);
    messages.push(new ToolMessage({ content, tool_call_id: call.id }));
  }
  checkTurn((await withTool.invoke(messages)).text);
  checkText(await joined(textsOf(await model.stream('Hello'))));
}

const openai = { apiKey: KEY, model: MODEL, configuration: { baseURL: GATEWAY, defaultHeaders: PROVIDER } };
await run(new ChatOpenAI(openai));
await run(new ChatOpenAI({ ...openai, useResponsesApi: true }));
await run(
  new ChatAnthropic({
    apiKey: KEY,
    model: MODEL,
    maxTokens: 256,
    anthropicApiUrl: ORIGIN,
    clientOptions: { defaultHeaders: { ...PROVIDER, 'x-gw-api-key': KEY } },
  }),
);
