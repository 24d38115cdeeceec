import type { JsonObject } from './call';
import { lost, sent, type Translation } from './spec-support/anthropic-translations';

const CHAT_TO_CLAUDE = {} as const;
const RESPONSES = { client: 'openai-responses', provider: 'openai-chat', model: 'gpt-4.1' } as const;
const GEMINI = { client: 'gemini', provider: 'openai-chat', model: 'gpt-4.1' } as const;
const CONTENTS = { contents: [{ parts: [{ text: 'a' }] }] };

describe('members without an equivalent are named as losses', () => {
  it.each<readonly [name: string, body: JsonObject, translation: Translation, loss: string]>([
    ['a service tier', { service_tier: 'turbo' }, CHAT_TO_CLAUDE, 'service_tier=dropped'],
    [
      'the lifetime of a cache',
      { prompt_cache_retention: '24h' },
      CHAT_TO_CLAUDE,
      'prompt_cache_retention=dropped',
    ],
    ['more of a response', { input: 'a', include: ['x.y'] }, RESPONSES, 'include=dropped'],
    [
      'the lifetime of cache marks',
      { input: 'a', prompt_cache_options: { ttl: '30m' } },
      RESPONSES,
      'prompt_cache_options=dropped',
    ],
    ['a service tier of Gemini', { ...CONTENTS, serviceTier: 'turbo' }, GEMINI, 'serviceTier=dropped'],
  ])('%s', (_name, body, translation, loss) => {
    expect(lost(body, translation)).toContain(loss);
  });
});

describe('a budget of thinking that the model decides', () => {
  it('becomes a budget for Claude models that take no other', () => {
    const body = { ...CONTENTS, generationConfig: { thinkingConfig: { thinkingBudget: -1 } } };
    const claude = { client: 'gemini', provider: 'anthropic-messages', model: 'claude-sonnet-4-5' };
    expect(sent(body, claude)['thinking']).toMatchObject({ type: 'enabled', budget_tokens: 51_200 });
    expect(lost(body, claude)).toContain('generationConfig.thinkingConfig=approximated');
  });
});

describe('a budget of thinking of a Gemini client', () => {
  it('is sent to Claude without an effort, which the client did not choose', () => {
    const body = { ...CONTENTS, generationConfig: { thinkingConfig: { thinkingBudget: 2_048 } } };
    const claude = { client: 'gemini', provider: 'anthropic-messages', model: 'claude-opus-4-6' };
    const request = sent(body, claude);
    expect(request['thinking']).toMatchObject({ type: 'enabled', budget_tokens: 2_048 });
    expect(request).not.toHaveProperty('output_config');
  });
});

describe('members that cannot be read', () => {
  it('an empty input is invalid', () => {
    expect(() => sent({ input: [], instructions: 'a' }, RESPONSES)).toThrow(/input must be a text or a list/);
  });

  it('unknown modalities are invalid', () => {
    expect(() => sent({ modalities: ['video'] })).toThrow(/modalities may have/);
  });
});
