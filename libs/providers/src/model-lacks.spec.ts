import { lacksOf, refusalOfLacks } from './model-lacks';
import type { Provider } from './provider';
import { PROVIDERS } from './registry';

function provider(id: string): Provider {
  const found = PROVIDERS.get(id);
  if (found === undefined) throw new Error(`There is no provider ${id}.`);
  return found;
}

const NOTHING = { image: false, tools: false, jsonSchema: false };

describe('lacksOf', () => {
  it.each([
    ['openai', 'gpt-3.5-turbo-0125', ['image', 'jsonSchema']],
    ['openai', 'gpt-4', ['image', 'jsonSchema']],
    ['openai', 'gpt-4-turbo', ['jsonSchema']],
    ['openai', 'o1-mini', ['image', 'tools', 'jsonSchema']],
    ['openai', 'o3-mini', ['image']],
    ['groq', 'llama-3.3-70b-versatile', ['image']],
    ['groq', 'openai/gpt-oss-120b', ['image']],
    ['together-ai', 'meta-llama/Llama-3.3-70B-Instruct-Turbo', ['image']],
    ['bedrock', 'us.meta.llama3-1-70b-instruct-v1:0', ['image']],
    ['cohere', 'command-r-plus-08-2024', ['image']],
  ])('returns known lacks for provider %s and model %s', (id, model, lacks) => {
    expect(lacksOf(provider(id), model)).toEqual(lacks);
  });

  it.each([
    ['openai', 'gpt-4o'],
    ['openai', 'gpt-4.1-mini'],
    ['openai', 'gpt-4-of-ours'],
    ['openai', 'o1'],
    ['anthropic', 'claude-sonnet-4-5'],
    ['groq', 'llama-3.2-11b-vision-preview'],
    ['groq', 'meta-llama/llama-4-scout-17b-16e-instruct'],
    ['openai', `gpt-4${'-'.repeat(300)}`],
  ])('returns no lacks for provider %s and model %s', (id, model) => {
    expect(lacksOf(provider(id), model)).toEqual([]);
  });

  it.each(['azure-openai', 'vllm'])(
    'returns no lacks for %s, because its operator names the models',
    (id) => {
      expect(lacksOf(provider(id), 'gpt-4')).toEqual([]);
    },
  );
});

describe('refusalOfLacks', () => {
  it('names the model and all features that it lacks', () => {
    const demands = { ...NOTHING, image: true, jsonSchema: true };
    const refusal = refusalOfLacks(provider('openai'), 'gpt-4', demands);
    expect(refusal).toMatchObject({ type: 'unsupported_by_provider', options: { param: 'model' } });
    expect(refusal?.message).toBe(
      'The model gpt-4 does not take pictures or a JSON schema of the response; use another model, or leave that out.',
    );
  });

  it('returns null when the call requires nothing that the model lacks', () => {
    expect(refusalOfLacks(provider('openai'), 'gpt-4', { ...NOTHING, tools: true })).toBeNull();
  });
});
