import { Portkey } from 'portkey-ai';
import {
  checkText,
  checkTurn,
  DESCRIPTION,
  GATEWAY,
  joined,
  KEY,
  MODEL,
  QUESTION,
  SCHEMA,
  TOOL,
  weather,
} from './turn.mjs';

const portkey = new Portkey({ apiKey: KEY, baseURL: GATEWAY, provider: '@sandbox' });
const tools = [{ type: 'function', function: { name: TOOL, description: DESCRIPTION, parameters: SCHEMA } }];
const messages = [{ role: 'user', content: QUESTION }];
const { choices } = await portkey.chat.completions.create({ model: MODEL, messages, tools });
const [{ message }] = choices;
messages.push(message);
for (const call of message.tool_calls)
  messages.push({
    role: 'tool',
    tool_call_id: call.id,
    content: weather(JSON.parse(call.function.arguments)),
  });
const last = await portkey.chat.completions.create({ model: MODEL, messages, tools });
checkTurn(last.choices[0].message.content);

async function* textsOf(stream) {
  for await (const chunk of stream) yield chunk.choices[0]?.delta.content ?? '';
}
const hello = [{ role: 'user', content: 'Hello' }];
const stream = await portkey.chat.completions.create({ model: MODEL, messages: hello, stream: true });
checkText(await joined(textsOf(stream)));
