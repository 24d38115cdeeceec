import { GatewayError } from '@gw/kernel';
import type { JsonObject } from './call';
import { sent, translated, type Translation } from './spec-support/anthropic-translations';

const IMAGE = { type: 'image_url', image_url: { url: 'data:image/png;base64,AAAA' } };
const user = (content: unknown): JsonObject => ({ role: 'user', content });

/** Returns type and path of the error for a refused request. */
function refusal(body: JsonObject, translation: Translation): [type: string, param: unknown] {
  try {
    translated(body, translation);
  } catch (thrown) {
    if (thrown instanceof GatewayError) return [thrown.type, thrown.options.param];
    throw thrown;
  }
  throw new Error('The call was not refused.');
}

type Provider = readonly [provider: string, model: string];
const TARGETS: readonly Provider[] = [
  ['anthropic-messages', 'claude-sonnet-4-5'],
  ['bedrock-converse', 'anthropic.claude-sonnet-4-5'],
  ['gemini', 'gemini-3-pro'],
  ['ollama', 'llama3'],
];

describe('content that a provider cannot get', () => {
  it.each(TARGETS)('%s: an image in a later system message is refused', (provider, model) => {
    const later = { role: 'developer', content: [{ type: 'text', text: 'x' }, IMAGE] };
    const messages = [user('a'), later, user('b')];
    const [type, param] = refusal({ messages }, { provider, model });
    expect([type, String(param)]).toEqual([
      'unsupported_by_provider',
      expect.stringContaining('messages.1.content.1'),
    ]);
  });

  it.each<Provider>([
    ...TARGETS,
    ['mistral', 'm'],
    ['cohere-v2', 'command-a-03-2025'],
    ['openai-responses', 'gpt-4.1'],
  ])('%s: a spoken message of the history is refused', (provider, model) => {
    const spoken = { role: 'assistant', content: null, audio: { id: 'audio_1' } };
    const messages = [user('a'), spoken, user('b')];
    expect(refusal({ messages }, { provider, model })).toEqual([
      'unsupported_by_provider',
      'messages.1.audio',
    ]);
  });

  it('a file as a data URL without base64 is invalid', () => {
    const file_data = 'data:text/plain,hello';
    const chat = user([{ type: 'file', file: { filename: 'a.txt', file_data } }]);
    const responses = { input: [user([{ type: 'input_file', filename: 'a.txt', file_data }])] };
    const claude = { provider: 'anthropic-messages', model: 'claude-sonnet-4-5' };
    expect([
      refusal({ messages: [chat] }, claude),
      refusal(responses, { ...claude, client: 'openai-responses' }),
    ]).toEqual([
      ['validation_failed', 'messages.0.content.0.file.file_data'],
      ['validation_failed', 'input.0.content.0.file_data'],
    ]);
  });

  it('spoken responses are refused, because each dialect has its own form of them', () => {
    const chat = { modalities: ['audio'], audio: { voice: 'Kore', format: 'pcm16' } };
    const gemini = {
      contents: [{ parts: [{ text: 'a' }] }],
      generationConfig: { responseModalities: ['AUDIO'] },
    };
    expect([
      refusal(chat, { provider: 'gemini', model: 'gemini-2.5-flash' }),
      refusal(gemini, { client: 'gemini', provider: 'openai-chat', model: 'gpt-4o-audio-preview' }),
    ]).toEqual([
      ['unsupported_by_provider', 'modalities'],
      ['unsupported_by_provider', 'generationConfig.responseModalities'],
    ]);
  });
});

describe('custom tools between the dialects of OpenAI', () => {
  const grammar = { syntax: 'lark', definition: 'start: "a"' };
  const CHAT = { client: 'openai-chat', provider: 'openai-responses', model: 'gpt-5-pro' } as const;
  const RESPONSES = { client: 'openai-responses', provider: 'openai-chat', model: 'gpt-5' } as const;

  it('keep their grammar and stay the chosen ones', () => {
    const chat = {
      tools: [{ type: 'custom', custom: { name: 'f', format: { type: 'grammar', grammar } } }],
      tool_choice: { type: 'custom', custom: { name: 'f' } },
    };
    const responses = {
      tools: [{ type: 'custom', name: 'f', format: { type: 'grammar', ...grammar } }],
      tool_choice: { type: 'custom', name: 'f' },
    };
    expect(sent(chat, CHAT)).toMatchObject(responses);
    expect(sent({ input: 'a', ...responses }, RESPONSES)).toMatchObject(chat);
  });

  it('stay custom tools in a list of allowed tools', () => {
    const tools = [{ type: 'custom', name: 'f' }];
    const tool_choice = { type: 'allowed_tools', mode: 'auto', tools };
    const allowed_tools = { mode: 'auto', tools: [{ type: 'custom', custom: { name: 'f' } }] };
    expect(sent({ input: 'a', tools, tool_choice }, RESPONSES)['tool_choice']).toMatchObject({
      allowed_tools,
    });
  });

  it('stay custom tools in a namespace', () => {
    const inner = [{ type: 'custom', name: 'f', format: { type: 'grammar', ...grammar } }];
    const body = { input: 'a', tools: [{ type: 'namespace', name: 'ns', tools: inner }] };
    const custom = { name: 'ns__f', format: { type: 'grammar', grammar } };
    expect(sent(body, RESPONSES)['tools']).toEqual([{ type: 'custom', custom }]);
    const claude = { ...RESPONSES, provider: 'anthropic-messages', model: 'claude-sonnet-4-5' };
    expect(refusal(body, claude)).toEqual(['unsupported_by_provider', 'tools.0.tools.0']);
  });
});
