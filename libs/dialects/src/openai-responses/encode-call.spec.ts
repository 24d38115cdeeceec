import { openAiChatClient } from '../openai-chat';
import { LossLedger } from '../losses';
import { fromChat, translated } from '../spec-support/responses-translations';
import { targetOf } from '../target';
import type { TranslatedCall } from '../translate';
import { openAiResponsesProvider } from '.';

describe('calls to providers of the Responses API', () => {
  const lossesOf = (call: TranslatedCall): string[] =>
    call.losses.losses.map(({ path, code }) => `${path}=${code}`);

  it('disable the store and request seals, unless the client enables the store', () => {
    expect(fromChat({}).body).toMatchObject({ store: false, include: ['reasoning.encrypted_content'] });
    expect(fromChat({ store: true }).body).toMatchObject({ store: true });
    expect(fromChat({}, { model: 'gpt-4.1' }).body).not.toHaveProperty('include');
  });

  it('do not make schemas strict unless the client did', () => {
    const tools = [{ type: 'function', function: { name: 'f' } }];
    expect(fromChat({ tools }).body['tools']).toEqual([
      { type: 'function', name: 'f', parameters: { type: 'object', properties: {} }, strict: false },
    ]);
  });

  it('include the detail of an image, which the types of the dialect require', () => {
    const image = (detail?: string) => {
      const part = { type: 'image_url', image_url: { url: 'https://a.example/b.png', detail } };
      return fromChat({ messages: [{ role: 'user', content: [part] }] }).body['input'];
    };
    expect(image()).toMatchObject([{ content: [{ type: 'input_image', detail: 'auto' }] }]);
    expect(image('low')).toMatchObject([{ content: [{ detail: 'low' }] }]);
  });

  it('adapt sampling, limits and stops when the target allows it', () => {
    const body = { temperature: 0.2, max_completion_tokens: 5, stop: ['x'], seed: 1, logit_bias: { 1: 1 } };
    const call = fromChat(body, { loss: 'adapt' });
    expect(call.body).toMatchObject({ max_output_tokens: 16 });
    for (const name of ['temperature', 'stop', 'seed', 'logit_bias'])
      expect(call.body).not.toHaveProperty(name);
    expect(lossesOf(call).sort()).toEqual([
      'logit_bias=dropped',
      'max_completion_tokens=approximated',
      'seed=dropped',
      'stop=dropped',
      'temperature=dropped',
    ]);
  });

  describe('sampling and log probabilities of a model that reasons', () => {
    const WANTED = { temperature: 0.2, logprobs: true, top_logprobs: 2 };
    const LOGPROBS = 'message.output_text.logprobs';
    const of = (model: string, effort?: string): TranslatedCall =>
      fromChat({ ...WANTED, ...(effort && { reasoning_effort: effort }) }, { model, loss: 'adapt' });
    const isSent = ({ body }: TranslatedCall): boolean[] => [
      ...[body['temperature'] === 0.2, body['top_logprobs'] === 2],
      (body['include'] as readonly string[]).includes(LOGPROBS),
    ];

    it('are sent with the effort none', () => {
      expect(isSent(of('gpt-5.4', 'none'))).toEqual([true, true, true]);
    });

    it('are losses when the model cannot do without reasoning', () => {
      for (const effort of [undefined, 'none', 'low']) {
        const call = of('gpt-5', effort);
        expect(isSent(call)).toEqual([false, false, false]);
        expect(lossesOf(call)).toEqual(expect.arrayContaining(['temperature=dropped', 'logprobs=dropped']));
      }
      expect(() => fromChat({ logprobs: true }, { model: 'gpt-5' })).toThrow('no log probabilities');
    });

    it('are losses with another effort', () => {
      expect(isSent(of('gpt-5.4', 'high'))).toEqual([false, false, false]);
      // The default effort of later models may be none.
      expect(isSent(of('gpt-5.4'))).toEqual([false, true, true]);
    });

    it('are sent or lost likewise to providers of Chat Completions', () => {
      const members = (model: string, effort: string): string[] => {
        const body = {
          ...{ model: 'm', input: 'Hi', temperature: 0.2, top_logprobs: 2, include: [LOGPROBS] },
          reasoning: { effort },
        };
        const call = translated('openai-responses', 'openai-chat', body, { model, loss: 'adapt' });
        return ['temperature', 'logprobs', 'top_logprobs'].filter((name) => name in call.body);
      };
      expect(members('gpt-5.4', 'none')).toEqual(['temperature', 'logprobs', 'top_logprobs']);
      for (const [model, effort] of [
        ['gpt-5.4', 'high'],
        ['gpt-5', 'none'],
      ] as const)
        expect(members(model, effort)).toEqual([]);
    });
  });

  it('translate web search, and the name of a custom tool in the choice', () => {
    const tools = [{ type: 'custom', custom: { name: 'sql' } }];
    const call = fromChat({
      web_search_options: { user_location: { type: 'approximate', approximate: { city: 'Oslo' } } },
      tools,
      tool_choice: { type: 'custom', custom: { name: 'sql' } },
    });
    expect(call.body).toMatchObject({ tool_choice: { type: 'custom', name: 'sql' } });
    expect(call.body['tools']).toContainEqual({
      type: 'web_search',
      user_location: { type: 'approximate', city: 'Oslo' },
    });
  });

  it('drop members that the provider does not support according to its row', () => {
    const target = targetOf({
      provider: 'databricks',
      dialect: 'openai-responses',
      model: 'x',
      traits: { drop: ['store', 'service_tier', 'parallel_tool_calls'] },
    });
    const losses = new LossLedger('adapt', target);
    const call = openAiChatClient.decodeCall({
      model: 'm',
      messages: [{ role: 'user', content: 'Hi' }],
      service_tier: 'flex',
      tools: [{ type: 'function', function: { name: 'f' } }],
      parallel_tool_calls: false,
    });
    const body = openAiResponsesProvider.encodeCall(call, target, losses).body;
    for (const name of ['store', 'service_tier', 'parallel_tool_calls'])
      expect(body).not.toHaveProperty(name);
    expect(losses.losses.map(({ path }) => path).sort()).toEqual(['parallel_tool_calls', 'service_tier']);
  });

  it('count tokens without the members that do not affect them', () => {
    const counter = openAiResponsesProvider.tokenCounter;
    const call = openAiChatClient.decodeCall({
      model: 'm',
      messages: [{ role: 'user', content: 'Hi' }],
      max_tokens: 20,
    });
    if (counter === undefined) throw new Error('No counter');
    const target = targetOf({ provider: 'openai', dialect: 'openai-responses', model: 'gpt-5.4' });
    expect(counter.encodeCall(call, target, new LossLedger('strict', target))).toEqual({
      path: '/responses/input_tokens',
      body: { model: 'gpt-5.4', input: [{ role: 'user', content: [{ type: 'input_text', text: 'Hi' }] }] },
    });
    expect(counter.decodeResponse({ object: 'response.input_tokens', input_tokens: 7 })).toEqual({
      input: 7,
    });
    expect(() => counter.decodeResponse({ input_tokens: -1 })).toThrow(
      expect.objectContaining({ type: 'provider_answer_invalid' }) as Error,
    );
  });
});
