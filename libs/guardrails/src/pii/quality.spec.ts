import { piiQuality } from '../spec-support/pii-quality';
import { labelledSentences } from '../spec-support/pii-set';

describe('detectPii on 2,400 labelled sentences in five languages', () => {
  const sentences = labelledSentences();
  const qualities = piiQuality(sentences);

  it('uses at least a thousand sentences, the same on every run', () => {
    expect(sentences.length).toBeGreaterThanOrEqual(1_000);
    expect(new Set(sentences.map(({ language }) => language)).size).toBe(5);
    expect(labelledSentences()).toEqual(sentences);
  });

  it.each(qualities.map((quality) => [quality.label, quality] as const))(
    'finds %s with the required recall and precision',
    (label, { recall, precision, missed }) => {
      const isCertain = ['CREDIT_CARD', 'IBAN', 'EMAIL_ADDRESS', 'SECRET'].includes(label);
      expect({
        isEnough: recall >= (isCertain ? 0.95 : 0.9),
        recall,
        missed: missed.slice(0, 5),
      }).toMatchObject({ isEnough: true });
      expect({ isEnough: precision >= 0.95, precision }).toMatchObject({ isEnough: true });
    },
  );
});
