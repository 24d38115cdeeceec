import type { JsonObject } from '../call';
import { CLIENT_CODECS } from '../codecs';
import { LossLedger } from '../losses';
import { targetOf } from '../target';
import { translateCall, type TranslatedCall } from '../translate';
import { bedrockProvider } from '.';
import { NOVA, refusal, SONNET } from './spec-facts';

const USER = { role: 'user', content: 'Hi' };

describe('models', () => {
  function called(model: string, settings: JsonObject, body: JsonObject = {}): TranslatedCall {
    const client = CLIENT_CODECS.get('openai-chat');
    if (client === undefined) throw new Error('No codec of chat completions');
    const target = targetOf({ provider: 'bedrock', dialect: 'bedrock-converse', model, settings });
    return translateCall(
      client,
      bedrockProvider,
      { model, messages: [USER], ...body },
      { target, loss: 'strict', requestId: 'req_1', createdAt: 1 },
    );
  }

  it('behind an ARN are named by a setting', () => {
    const arn = 'arn:aws:bedrock:us-east-1:123456789012:application-inference-profile/abc';
    const settings = {
      aws_bedrock_model: 'anthropic.claude-opus-4-8',
      anthropic_beta: 'context-1m-2025-08-07',
    };
    const { path, body } = called(arn, settings, { reasoning_effort: 'low', stream: true });
    expect(path).toBe(`/model/${encodeURIComponent(arn)}/converse-stream`);
    expect(body['additionalModelRequestFields']).toEqual({
      thinking: { type: 'adaptive', display: 'summarized' },
      output_config: { effort: 'low' },
      anthropic_beta: ['context-1m-2025-08-07'],
    });
  });

  it.each(['..', '.', 'a b', 'a?b', 'ü', '\ud800'])('refuses the model name %j', (model) => {
    expect(refusal(() => called(model, {}))).toEqual(['unsupported_by_provider', 'model']);
  });

  it('are recognised with every region prefix', () => {
    for (const model of [
      SONNET,
      'eu.anthropic.claude-sonnet-4-5-20250929-v1:0',
      'global.anthropic.claude-sonnet-4-5-20250929-v1:0',
    ])
      expect(called(model, {}, { top_k: 1 }).body['additionalModelRequestFields']).toEqual({ top_k: 1 });
  });
});

describe('token counts', () => {
  const count = (model: string): JsonObject => {
    const target = targetOf({ provider: 'bedrock', dialect: 'bedrock-converse', model });
    const losses = new LossLedger('strict', target);
    const client = CLIENT_CODECS.get('anthropic-messages')?.tokenCounter;
    if (client === undefined) throw new Error('No token counts of Anthropic clients');
    const call = bedrockProvider.tokenCounter?.encodeCall(
      client.decodeCall({ model, system: 'S', messages: [USER] }),
      target,
      losses,
    );
    losses.check();
    return { ...call };
  };

  it('use the id of the model without its region', () => {
    const expected = {
      path: '/model/anthropic.claude-sonnet-4-5-20250929-v1%3A0/count-tokens',
      body: {
        input: {
          converse: { messages: [{ role: 'user', content: [{ text: 'Hi' }] }], system: [{ text: 'S' }] },
        },
      },
    };
    expect(count(SONNET)).toEqual(expected);
    expect(count(`arn:aws:bedrock:us-east-1:123456789012:inference-profile/${SONNET}`)).toEqual(expected);
  });

  it('are available only for Claude', () => {
    expect(refusal(() => count(NOVA))).toEqual(['unsupported_by_provider', 'model']);
  });

  it('are read from the response, or refused', () => {
    expect(bedrockProvider.tokenCounter?.decodeResponse({ inputTokens: 5 })).toEqual({ input: 5 });
    expect(refusal(() => bedrockProvider.tokenCounter?.decodeResponse({}))[0]).toBe(
      'provider_answer_invalid',
    );
  });
});
