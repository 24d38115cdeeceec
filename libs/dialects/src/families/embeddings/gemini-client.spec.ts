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
});
