import { createMCPClient } from '@ai-sdk/mcp';
import { createOpenAI } from '@ai-sdk/openai';
import { generateText, isStepCount, stepCountIs } from 'ai';
import { strict as assert } from 'node:assert';
import { GATEWAY, KEY, MODEL, ORIGIN, PROVIDER } from './turn.mjs';

const headers = { 'x-gw-api-key': KEY };
const connected = (path) =>
  createMCPClient({ transport: { type: 'http', url: `${ORIGIN}${path}`, headers } });

const client = await connected('/sandbox/mcp');
const tools = await client.tools();
assert.deepEqual(Object.keys(tools).sort(), ['add', 'echo', 'greet', 'now']);
const { model, prompt } = {
  model: createOpenAI({ baseURL: GATEWAY, apiKey: KEY, headers: PROVIDER }).chat(MODEL),
  prompt: 'Call add {"a":2,"b":3}',
};
// The model calls the tool, the client calls the MCP server, and the model quotes the result.
const { text } = await generateText({ model, prompt, tools, stopWhen: (isStepCount ?? stepCountIs)(3) });
assert.match(text, /\[sandbox\] .*5/s);
await client.close();

const admin = await connected('/mcp/admin');
const limits = await (await admin.tools())['get_my_limits'].execute({}, { messages: [], toolCallId: '1' });
assert.equal(limits.structuredContent.key.status, 'active');
await admin.close();
