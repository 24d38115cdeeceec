import type { ClaimCondition } from '@gw/contracts';
import { conditionFault, isPointer } from '@gw/trusts';
import { invalid } from '@gw/web';
import type { TrustMapDto } from './trusts.dto';

/** Throws `validation_failed` for the first condition that cannot be used. */
export function assertConditions(conditions: readonly ClaimCondition[], path: string): void {
  for (const [index, condition] of conditions.entries()) {
    const fault = conditionFault(condition);
    if (fault !== null) throw invalid(`${path}.${String(index)}`, fault);
  }
}

/** Throws `validation_failed` for the first map that cannot be used. */
export function assertMaps(maps: readonly TrustMapDto[]): void {
  for (const [index, { conditions = [], metadata = {} }] of maps.entries()) {
    const path = `maps.${String(index)}`;
    assertConditions(conditions, `${path}.conditions`);
    for (const [name, pointer] of Object.entries(metadata)) {
      if (name.startsWith('_'))
        throw invalid(`${path}.metadata`, 'names that begin with an underscore are reserved');
      if (!isPointer(pointer))
        throw invalid(`${path}.metadata`, `${name} must be a JSON pointer, such as /sub`);
    }
  }
}
