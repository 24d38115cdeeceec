import { isObject } from '@gw/kernel';
import type { Claims } from './id-token';

const GROUPS_MAX = 1_000;
const NAME_MAX = 255;

/** The groups of a user at an identity provider. */
export interface ProvidedGroups {
  readonly names: readonly string[];
  /**
   * False: the user may have further groups, so a group that is missing in `names` proves nothing.
   */
  readonly isComplete: boolean;
}

/**
 * Reads the groups in a claim: a text, a list of texts, or a list of objects with `name`; at most
 * 1,000 names of at most 255 characters. Entra ID omits the claim for users with many groups and
 * lists it in `_claim_names` instead.
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
