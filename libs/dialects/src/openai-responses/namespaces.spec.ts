import type { JsonObject } from '../call';
import { openAiChatProvider } from '../openai-chat';
import { targetOf } from '../target';
import { translateCall, type TranslatedCall } from '../translate';
import { openAiResponsesClient } from '.';

const close = {
  type: 'function',
  name: 'close_agent',
  description: 'Closes an agent',
  parameters: { type: 'object', properties: { target: { type: 'string' } } },
  strict: false,
};
const namespace = (name: string) => ({ type: 'namespace', name, description: 'Agents', tools: [close] });
const translated = (body: JsonObject): TranslatedCall =>
  translateCall(
    openAiResponsesClient,
    openAiChatProvider,
    { model: 'm', store: false, ...body },
    {
      target: targetOf({ provider: 'p', dialect: 'openai-chat', model: 'm' }),
      loss: 'strict',
      requestId: 'r',
      createdAt: 1,
    },
  );
const calling = (name: string): JsonObject => ({
  id: 'c',
  choices: [
    {
      index: 0,
      message: {
        role: 'assistant',
        content: null,
        tool_calls: [{ id: 'call_1', type: 'function', function: { name, arguments: '{}' } }],
      },
      finish_reason: 'tool_calls',
    },
  ],
});

describe('tools in namespaces', () => {
  it('become separate functions at other providers, and keep their names for the client', () => {
    const call = translated({ input: 'Hi', tools: [namespace('agents')] });
    const { strict: _strict, ...sent } = { ...close, name: 'agents__close_agent' };
    const { type: _type, ...described } = sent;
    expect(call.body['tools']).toMatchObject([{ type: 'function', function: described }]);
    const item = { type: 'function_call', name: 'close_agent', namespace: 'agents', call_id: 'call_1' };
    expect(call.response(calling('agents__close_agent'))['output']).toMatchObject([item]);

    const stream = call.stream();
    const delta = {
      tool_calls: [{ index: 0, id: 'call_1', function: { name: 'agents__close_agent', arguments: '{}' } }],
    };
    const chunk = (body: JsonObject, finish: string | null) =>
      `data: ${JSON.stringify({ id: 'c', choices: [{ index: 0, delta: body, finish_reason: finish }] })}\n\n`;
    const events = stream.write(
      Buffer.from(`${chunk(delta, null)}${chunk({}, 'tool_calls')}data: [DONE]\n\n`),
    );
    expect(events).toContain('"name":"close_agent"');
    expect(events).toContain('"namespace":"agents"');
  });

  it('have the same names in the history', () => {
    const call = translated({
      input: [
        { role: 'user', content: 'Hi' },
        {
          type: 'function_call',
          call_id: 'call_1',
          name: 'close_agent',
          namespace: 'agents',
          arguments: '{}',
        },
        { type: 'function_call_output', call_id: 'call_1', output: 'done' },
      ],
      tools: [namespace('agents')],
    });
    expect(JSON.stringify(call.body['messages'])).toContain('"name":"agents__close_agent"');
  });

  it('have names of at most 64 characters, and different ones for different namespaces', () => {
    const long = 'n'.repeat(60);
    const { body } = translated({ input: 'Hi', tools: [namespace(`${long}1`), namespace(`${long}2`)] });
    const names = (body['tools'] as { function: { name: string } }[]).map((tool) => tool.function.name);
    expect(new Set(names).size).toBe(2);
    expect(names.every((name) => /^[A-Za-z0-9_-]{1,64}$/.test(name))).toBe(true);
  });

  it('do not change other functions', () => {
    const call = translated({ input: 'Hi', tools: [close, namespace('agents')] });
    expect(call.response(calling('close_agent'))['output']).toMatchObject([
      { type: 'function_call', name: 'close_agent' },
    ]);
    expect(JSON.stringify(call.response(calling('close_agent')))).not.toContain('namespace":"agents');
  });
});
