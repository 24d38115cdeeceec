import { GatewayError } from '@gw/kernel';
import type { JsonObject } from '../../call';
import { LossLedger } from '../../losses';
import { geminiToOpenAiEmbeddings } from './gemini-client';

describe('embeddings of a Gemini client', () => {
  it('are in the order of the texts, also when the provider sends them in another', () => {
    const requests = ['a', 'b'].map((text) => ({ content: { parts: [{ text }] } }));
    const losses = new LossLedger('strict', { provider: 'p', model: 'm' });
    const { response } = geminiToOpenAiEmbeddings({ requests }, {}, losses);
    const data = [
      { index: 1, embedding: [1] },
      { index: 0, embedding: [0] },
    ];
    expect(response({ data })).toEqual({ embeddings: [{ values: [0] }, { values: [1] }] });
  });

  const content = { parts: [{ text: 'a' }] };
  const translated = (body: JsonObject) => {
    const losses = new LossLedger('strict', { provider: 'p', model: 'm' });
    return { ...geminiToOpenAiEmbeddings(body, { model: 'm' }, losses), losses: losses.losses };
  };

  it('report each member that the provider does not get', () => {
    const config = { taskType: 'CLUSTERING', autoTruncate: false, outputDimensionality: 8 };
    const body = { model: 'models/m', content, title: 'T', embedContentConfig: config };
    expect(translated(body)).toMatchObject({
      body: { model: 'm', input: ['a'], dimensions: 8 },
      losses: [
        { path: 'title', code: 'dropped' },
        { path: 'embedContentConfig.taskType', code: 'dropped' },
        { path: 'embedContentConfig.autoTruncate', code: 'dropped' },
      ],
    });
  });

  it('have the length that is set outside of embedContentConfig, when that names none', () => {
    const body = { content, output_dimensionality: 8, embedContentConfig: { taskType: 'CLUSTERING' } };
    expect(translated(body).body['dimensions']).toBe(8);
  });

  it.each([['base64'], [null], [['x']], [[]]])('refuse a response whose embedding is %j', (embedding) => {
    const { response } = translated({ content });
    expect(() => response({ data: [{ index: 0, embedding }] })).toThrow(GatewayError);
  });
});
