import type { LossLedger } from '../../losses';
import type { RerankDocument } from './rerank';

/**
 * Returns the texts of documents, for a provider that ranks texts only; an object without a text is
 * refused.
 */
export const textsOf = (documents: readonly RerankDocument[], losses: LossLedger): string[] =>
  documents.map((document, index) => {
    if ('text' in document) return document.text;
    losses.refuse(
      `documents.${String(index)}`,
      'The provider ranks texts only; send a text, or an object with a text.',
    );
    return '';
  });
