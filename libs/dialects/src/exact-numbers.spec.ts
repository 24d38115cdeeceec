import { parseExact } from '@gw/kernel';
import type { JsonObject } from './call';
import { RERANK_FORMS } from './families/forms';
import { translateRerank } from './families/rerank/translate-rerank';
import { translated } from './spec-support/anthropic-translations';
import { targetOf } from './target';

/** A number with more digits than its double needs, as Google and others write them. */
const LONG = '0.0058424929156899452';

const response = (text: string): JsonObject => parseExact(text) as JsonObject;

describe('numbers that parseExact keeps as text', () => {
  it('are read as log probabilities', () => {
    const body = response(
      `{"choices":[{"message":{"content":"a"},"finish_reason":"stop",
        "logprobs":{"content":[{"token":"a","logprob":-${LONG}}]}}]}`,
    );
    const call = translated({ logprobs: true }, { provider: 'mistral', model: 'm', loss: 'adapt' });
    expect(call.response(body)).toMatchObject({
      choices: [{ logprobs: { content: [{ logprob: -Number(LONG) }] } }],
    });
  });

  it('are read as scores of documents', () => {
    const target = targetOf({ provider: 'p', dialect: 'openai-chat', model: 'm' });
    const form = RERANK_FORMS.get('vllm');
    if (form === undefined) throw new Error('There is no form of vLLM.');
    const request = { model: 'm', query: 'a', documents: ['b'] };
    const { response: read } = translateRerank(form, request, { target, loss: 'strict', requestId: 'r' });
    const found = read(response(`{"results":[{"index":0,"relevance_score":${LONG}}]}`));
    expect(found).toMatchObject({ results: [{ relevance_score: Number(LONG) }] });
  });
});
