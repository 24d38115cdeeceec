import type { DocumentKey, ReadModelDocument } from '@gw/contracts';
import { nearestName } from '@gw/kernel';
import type { Documents } from '../auth/documents';

/** Maximum number of slugs compared for one error; a comparison takes at most some 4,000 steps. */
const COMPARED_MAX = 100;

/**
 * Returns a sentence that suggests the most similar known slug; empty when none is similar. `all`:
 * the key prefix of the slugs to compare, of one workspace or organisation, so that names of other
 * tenants never appear.
 */
export function didYouMean(
  documents: Documents,
  all: DocumentKey,
  slug: string,
  {
    mark = '',
    isOpen = () => true,
  }: { mark?: string; isOpen?: (document: ReadModelDocument) => boolean } = {},
): string {
  const slugs = documents.known(all).flatMap((document) => {
    const isNamed = 'slug' in document && isOpen(document);
    return isNamed && !('status' in document && document.status === 'archived') ? [document.slug] : [];
  });
  const near = nearestName(slug, [...new Set(slugs)].slice(0, COMPARED_MAX));
  return near === null ? '' : ` Did you mean ${mark}${near}?`;
}
