import type { Fields } from '../../fields/fields';
import type { IntegrationBody } from '../provider-types';

export type SecretMapping = NonNullable<IntegrationBody['secret_mappings']>[number];

const allOf = (fields: Fields): readonly SecretMapping[] =>
  (fields.valueOf('secret_mappings') ?? []) as readonly SecretMapping[];

/** How a target is filled from a secret manager; undefined where it is typed in. */
export const mappingOf = (fields: Fields, target: string): SecretMapping | undefined =>
  allOf(fields).find(({ target_field }) => target_field === target);

/** The whole list with the mapping of a target replaced, or removed by null. The API takes it as one member. */
export function mappingsWith(
  fields: Fields,
  target: string,
  mapping: SecretMapping | null,
): readonly SecretMapping[] | null {
  const others = allOf(fields).filter(({ target_field }) => target_field !== target);
  const next = mapping === null ? others : [...others, mapping];
  return next.length === 0 ? null : next;
}
