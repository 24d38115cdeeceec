import { Id, Moment } from '../../../ui/primitives';
import { providers } from '../../../messages';
import type { Provider } from '../provider-types';
import type { ReactNode } from 'react';

/** Properties of a provider or virtual key: what uses it, its id and its last change. */
export const commonFacts = ({
  used_by,
  id,
  last_updated_at,
}: Pick<Provider, 'used_by' | 'id' | 'last_updated_at'>): readonly (readonly [string, ReactNode])[] => [
  ...(used_by === undefined
    ? []
    : [[providers.usedBy, providers.uses(used_by.configs, used_by.api_keys)] as const]),
  [providers.id, <Id key="id" id={id} />],
  [providers.changed, <Moment key="changed" at={last_updated_at} />],
];
