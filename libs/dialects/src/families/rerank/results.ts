import { asArray, asNumber, asObject } from '../../values/json';
import { answerInvalid } from '../../values/tool-arguments';
import type { RerankResult } from './rerank';

/**
 * Reads the results of a response. Throws `provider_answer_invalid` for anything but a list of
 * indexes and scores.
 */
export function readResults(value: unknown, score: string): RerankResult[] {
  const items = asArray(value);
  if (items === null) throw answerInvalid('The body has no results.');
  return items.map((item) => {
    const result = asObject(item);
    const [index, found] = [asNumber(result?.['index']), asNumber(result?.[score])];
    if (index === null || found === null) throw answerInvalid('A result has no index or no score.');
    return { index, score: found };
  });
}
