import type { StubResponse } from '@gw/testing';
import { closed, count, either, filled, flag, list, objectSchema, only, text } from '../schema';
import { wordsOf, type Reply } from '../scenario';
import { bearer, dataEvents, type StandIn } from '../stand-in';
import { chatBody, chatChunk, chatEvents, chatHistory, chatReply } from './openai-chat';

const part = either(
  closed({ type: only('text'), text: filled }),
  closed({ type: only('image_url'), image_url: either(filled, closed({ url: filled }, { detail: text })) }),
  closed({ type: only('document_url'), document_url: filled }, { document_name: text }),
  closed({ type: only('thinking'), thinking: list(closed({ type: only('text'), text: filled })) }),
);
const content = either(filled, list(part));
const call = closed(
  {
    id: { type: 'string', pattern: '^[A-Za-z0-9]{9}$' },
    function: closed({ name: filled, arguments: text }),
  },
  { type: only('function'), index: count },
);
const message = either(
  closed({ role: only('system', 'user'), content }),
  closed(
    { role: only('assistant') },
    { content: either(content, only('', null)), tool_calls: list(call), prefix: flag },
  ),
  closed({ role: only('tool'), tool_call_id: filled, content }, { name: filled }),
);
const REQUEST = closed(
  { model: filled, messages: list(message) },
  {
    tools: list(
      closed({
        type: only('function'),
        function: closed({ name: filled, parameters: objectSchema }, { description: text, strict: flag }),
      }),
    ),
    tool_choice: only('auto', 'none', 'any', 'required'),
    parallel_tool_calls: flag,
    response_format: closed(
      { type: only('json_schema', 'json_object', 'text') },
      { json_schema: closed({ name: filled, schema: objectSchema }, { strict: flag, description: text }) },
    ),
    reasoning_effort: only('none', 'high'),
    prompt_mode: only('reasoning'),
    max_tokens: count,
    stream: flag,
  },
);

const thinkingOf = (value: string) => ({ type: 'thinking', thinking: [{ type: 'text', text: value }] });

/** As chat completions, with reasoning as a part of the content. */
function reply(given: Reply): StubResponse {
  if (given.reasoning === null) return chatReply(given);
  const rest = { ...given, reasoning: null };
  if (given.streams) {
    const [first = {}, ...others] = chatEvents(rest);
    const thoughts = wordsOf(given.reasoning).map((thought) =>
      chatChunk({ content: [thinkingOf(thought)] }, null),
    );
    return dataEvents([first, ...thoughts, ...others], given, ['data: [DONE]\n\n']);
  }
  const body = chatBody(rest);
  for (const { message: sent } of body.choices)
    sent.content = [thinkingOf(given.reasoning), { type: 'text', text: given.text ?? '' }];
  return { body };
}

export const mistral: StandIn = {
  dialect: 'mistral',
  provider: 'mistral-ai',
  model: 'mistral-medium-latest',
  configurations: (origin) => ({ custom_host: origin }),
  path: () => '/chat/completions',
  request: REQUEST,
  requested: { reasoning: ['reasoning_effort'], schema: ['response_format', 'json_schema'] },
  history: chatHistory,
  hasIds: true,
  isAuthorized: bearer('sk-mistral'),
  reply,
  error: {
    status: 429,
    body: { object: 'error', message: 'Slow down.', type: 'rate_limited', code: '1300' },
  },
};
