import { anthropicUsage } from './anthropic/usage';
import { openAiUsage } from './openai/usage';
import { googleUsage } from '../google/google-usage';

const ZERO = {
  inputTokens: 0,
  outputTokens: 0,
  cacheReadTokens: 0,
  cacheWriteTokens: 0,
  reasoningTokens: 0,
  inputAudioTokens: 0,
  outputAudioTokens: 0,
};

describe('openAiUsage', () => {
  it.each([
    [
      'a chat completion',
      {
        usage: {
          prompt_tokens: 100,
          completion_tokens: 50,
          prompt_tokens_details: { cached_tokens: 60, audio_tokens: 10 },
          completion_tokens_details: { reasoning_tokens: 20, audio_tokens: 5 },
        },
      },
      {
        ...ZERO,
        inputTokens: 100,
        outputTokens: 50,
        cacheReadTokens: 60,
        reasoningTokens: 20,
        inputAudioTokens: 10,
        outputAudioTokens: 5,
      },
    ],
    ['embeddings', { usage: { prompt_tokens: 8, total_tokens: 8 } }, { ...ZERO, inputTokens: 8 }],
    [
      'a response',
      {
        usage: {
          input_tokens: 9,
          output_tokens: 3,
          input_tokens_details: { cached_tokens: 4 },
          output_tokens_details: { reasoning_tokens: 2 },
        },
      },
      { ...ZERO, inputTokens: 9, outputTokens: 3, cacheReadTokens: 4, reasoningTokens: 2 },
    ],
    [
      'a realtime response',
      {
        usage: {
          input_tokens: 9,
          output_tokens: 3,
          input_token_details: { cached_tokens: 4, text_tokens: 7, audio_tokens: 2 },
          output_token_details: { text_tokens: 2, audio_tokens: 1 },
        },
      },
      {
        ...ZERO,
        inputTokens: 9,
        outputTokens: 3,
        cacheReadTokens: 4,
        inputAudioTokens: 2,
        outputAudioTokens: 1,
      },
    ],
    [
      'the closing event of a response',
      { type: 'response.completed', response: { usage: { input_tokens: 9, output_tokens: 3 } } },
      { ...ZERO, inputTokens: 9, outputTokens: 3 },
    ],
    [
      'a Groq stream',
      { x_groq: { usage: { prompt_tokens: 1, completion_tokens: 2 } } },
      { ...ZERO, inputTokens: 1, outputTokens: 2 },
    ],
    [
      'DeepSeek',
      { usage: { prompt_tokens: 10, completion_tokens: 1, prompt_cache_hit_tokens: 7 } },
      { ...ZERO, inputTokens: 10, outputTokens: 1, cacheReadTokens: 7 },
    ],
    [
      'xAI, which counts reasoning next to the completion',
      {
        usage: {
          prompt_tokens: 32,
          completion_tokens: 9,
          total_tokens: 151,
          completion_tokens_details: { reasoning_tokens: 110 },
        },
      },
      { ...ZERO, inputTokens: 32, outputTokens: 119, reasoningTokens: 110 },
    ],
    [
      'more cached tokens than input tokens',
      {
        usage: {
          prompt_tokens: 5,
          completion_tokens: 1,
          prompt_tokens_details: { cached_tokens: 50, cache_write_tokens: 7 },
        },
      },
      { ...ZERO, inputTokens: 5, outputTokens: 1, cacheReadTokens: 5 },
    ],
  ])('reads %s', (_, body, expected) => {
    expect(openAiUsage(body)).toEqual(expected);
  });

  it.each([
    [{}],
    [{ usage: null }],
    [{ usage: [] }],
    [{ usage: {} }],
    [{ usage: { type: 'duration', seconds: 3 } }],
  ])('reports no usage for %p, so that it is never billed as zero', (body) => {
    expect(openAiUsage(body)).toBeNull();
  });
});

describe('anthropicUsage', () => {
  it('adds cached tokens to the input, which Anthropic excludes from it', () => {
    const usage = {
      input_tokens: 10,
      cache_read_input_tokens: 20,
      cache_creation_input_tokens: 30,
      cache_creation: { ephemeral_5m_input_tokens: 10, ephemeral_1h_input_tokens: 20 },
      output_tokens: 5,
    };
    expect(anthropicUsage({ usage })).toEqual({
      ...ZERO,
      inputTokens: 60,
      outputTokens: 5,
      cacheReadTokens: 20,
      cacheWriteTokens: 30,
      cacheWrite1hTokens: 20,
    });
  });

  it.each([
    [{}],
    [{ usage: {} }],
    [{ usage: { input_tokens: -1, output_tokens: 1 } }],
    [{ usage: { input_tokens: 1, output_tokens: '1' } }],
  ])('reports no usage for %p', (body) => {
    expect(anthropicUsage(body)).toBeNull();
  });
});

describe('googleUsage', () => {
  it('adds thoughts to the output and tool prompts to the input', () => {
    const usageMetadata = {
      promptTokenCount: 10,
      toolUsePromptTokenCount: 2,
      candidatesTokenCount: 3,
      thoughtsTokenCount: 4,
      cachedContentTokenCount: 5,
      promptTokensDetails: [
        { modality: 'TEXT', tokenCount: 4 },
        { modality: 'AUDIO', tokenCount: 6 },
      ],
    };
    expect(googleUsage({ usageMetadata })).toEqual({
      ...ZERO,
      inputTokens: 12,
      outputTokens: 7,
      cacheReadTokens: 5,
      reasoningTokens: 4,
      inputAudioTokens: 6,
    });
    expect(googleUsage({ usage: { prompt_tokens: 1, completion_tokens: 1 } })?.inputTokens).toBe(1);
    expect(googleUsage({ usageMetadata: {} })).toBeNull();
  });
});
