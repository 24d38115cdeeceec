import Groq from 'groq-sdk';
import {
  checkText,
  checkTurn,
  DESCRIPTION,
  joined,
  KEY,
  MODEL,
  ORIGIN,
  PROVIDER,
  QUESTION,
  SCHEMA,
  TOOL,
  weather,
} from './turn.mjs';

// The SDK appends /openai/v1 to its base URL.
const groq = new Groq({ apiKey: KEY, baseURL: ORIGIN, defaultHeaders: PROVIDER });
const tools = [{ type: 'function', function: { name: TOOL, description: DESCRIPTION, parameters: SCHEMA } }];
const messages = [{ role: 'user', content: QUESTION }];
const first = await groq.chat.completions.create({ model: MODEL, messages, tools });
const { message } = first.choices[0];
messages.push(message);
for (const call of message.tool_calls)
  messages.push({
    role: 'tool',
    tool_call_id: call.id,
    content: weather(JSON.parse(call.function.arguments)),
  });
const last = await groq.chat.completions.create({ model: MODEL, messages, tools });
checkTurn(last.choices[0].message.content);

async function* textsOf(stream) {
  for await (const { choices } of stream) yield choices[0]?.delta.content ?? '';
}
const hello = [{ role: 'user', content: 'Hello' }];
checkText(
  await joined(textsOf(await groq.chat.completions.create({ model: MODEL, messages: hello, stream: true }))),
);
