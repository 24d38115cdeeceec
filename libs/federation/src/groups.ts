import { isObject } from '@gw/kernel';
import type { Claims } from './id-token';

const GROUPS_MAX = 1_000;
const NAME_MAX = 255;

/** The groups of a user at an identity provider. */
export interface ProvidedGroups {
  readonly names: readonly string[];
  /** False: the user may have groups that are not named here, so nothing can be concluded from a missing one. */
  readonly isComplete: boolean;
}

/**
 * Reads the groups of a claim: a text, a list of texts, or a list of objects with `name`. At most 1,000 names of at most 255 characters
 * are read. Entra ID leaves the claim out for users with many groups and says so in `_claim_names`.
 */
export function groupsIn(claims: Claims, claim: string): ProvidedGroups {
  const { [claim]: value, _claim_names: elsewhere } = claims;
  const given: readonly unknown[] = Array.isArray(value) ? value : value === undefined ? [] : [value];
  const names = given.slice(0, GROUPS_MAX).flatMap((each) => {
    const name = isObject(each) ? each['name'] : each;
    return typeof name === 'string' && name !== '' && name.length <= NAME_MAX ? [name] : [];
  });
  const isElsewhere = isObject(elsewhere) && Object.hasOwn(elsewhere, claim);
  return { names: [...new Set(names)], isComplete: given.length <= GROUPS_MAX && !isElsewhere };
}
