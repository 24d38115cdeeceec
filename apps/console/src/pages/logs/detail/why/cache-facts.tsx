import type { CacheRecord } from '@gw/contracts';
import type { ReactElement, ReactNode } from 'react';
import { logDetail } from '../../../../messages/en/log-detail';
import { percent } from '../../../../ui/format';
import { Id, KeyValues, Money } from '../../../../ui/primitives';
import { moneyOf } from '../record';

const text = logDetail.why.cache;

/** Shows the result of the response cache; renders nothing when the cache is off. */
export function CacheFacts({ cache }: { readonly cache: CacheRecord | undefined }): ReactElement | null {
  if (cache === undefined || cache.status === 'DISABLED') return null;
  const { status, key, similarity, savedCost, shared, failure } = cache;
  const items: (readonly [string, ReactNode])[] = [[text.status, text.word(status)]];
  if (typeof key === 'string') items.push([text.key, <Id key="key" id={key} />]);
  if (typeof similarity === 'number') items.push([text.similarity, percent(similarity)]);
  if (savedCost !== undefined) items.push([text.saved, <Money key="saved" e8={moneyOf(savedCost)} />]);
  if (shared === true) items.push([text.sharedName, text.shared]);
  if (failure !== undefined) items.push([text.failureName, text.failure(failure)]);
  return (
    <section aria-labelledby="log-cache">
      <h3 id="log-cache">{text.title}</h3>
      <KeyValues items={items} />
    </section>
  );
}
