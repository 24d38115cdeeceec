import type { DocumentKey, ReadModelDocument } from '@gw/contracts';
import { nearestName } from '@gw/kernel';
import type { Documents } from '../auth/principals';

/** Slugs that are compared for one error: a comparison costs some 4,000 steps at worst. */
const COMPARED_MAX = 100;

/**
 * A sentence that names the known slug which was most likely meant; empty where there is none. `all`: the key of an empty slug, so
 * that only documents of one workspace, or of its organisation, are looked at: names of other tenants never show.
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
