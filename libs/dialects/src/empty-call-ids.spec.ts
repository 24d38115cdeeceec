import type { JsonObject } from './call';
import { streamed, translated } from './spec-support/anthropic-translations';

const NAMES = ['f', 'g'];
const BODY = {
  ...{ id: 'msg_1', type: 'message', role: 'assistant', model: 'claude-sonnet-4-5' },
  content: NAMES.map((name) => ({ type: 'tool_use', id: '', name, input: {} })),
  ...{ stop_reason: 'tool_use', usage: { input_tokens: 1, output_tokens: 1 } },
};
const FRAMES: readonly JsonObject[] = [
  { type: 'message_start', message: { ...BODY, content: [] } },
  ...BODY.content.flatMap((block, index) => [
    { type: 'content_block_start', index, content_block: block },
    { type: 'content_block_stop', index },
  ]),
  { type: 'message_delta', delta: { stop_reason: 'tool_use' }, usage: { output_tokens: 1 } },
  { type: 'message_stop' },
];
/** Requests of clients, and the member of a call with its id. */
const CLIENTS: Readonly<Record<string, readonly [request: JsonObject, member: string]>> = {
  'openai-chat': [{}, 'id'],
  'openai-responses': [{ input: 'Hi' }, 'call_id'],
  'anthropic-messages': [{ max_tokens: 9 }, 'id'],
};

/** Returns the ids of the calls in a response, at any depth. */
function idsOf(value: unknown, member: string): unknown[] {
  if (typeof value !== 'object' || value === null) return [];
  const { name, function: called } = value as { name?: unknown; function?: { name?: unknown } };
  return NAMES.includes(String(name ?? called?.name)) && member in value
    ? [(value as JsonObject)[member]]
    : Object.values(value).flatMap((inner) => idsOf(inner, member));
}

describe('empty ids of tool calls', () => {
  it.each(Object.keys(CLIENTS))(
    'are replaced for clients of %s by different ones, the same in streams and when repeated',
    (client) => {
      const [request, member] = CLIENTS[client] ?? [{}, ''];
      const whole = (): unknown[] => idsOf(translated(request, { client }).response(BODY), member);
      const ids = whole();
      expect(new Set(ids).size).toBe(2);
      for (const id of ids) expect(id).toMatch(/^call_\w{24}$/);
      expect(whole()).toEqual(ids);
      const { folded } = streamed(FRAMES, { client, request });
      expect(idsOf(folded, member)).toEqual(ids);
    },
  );
});
