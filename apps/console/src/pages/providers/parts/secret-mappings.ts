import type { Fields } from '../../fields/fields';
import type { IntegrationBody } from '../provider-types';

export type SecretMapping = NonNullable<IntegrationBody['secret_mappings']>[number];

const allOf = (fields: Fields): readonly SecretMapping[] =>
  (fields.valueOf('secret_mappings') ?? []) as readonly SecretMapping[];

/** Mapping of a field to a secret manager; undefined when the user enters the secret. */
export const mappingOf = (fields: Fields, target: string): SecretMapping | undefined =>
  allOf(fields).find(({ target_field }) => target_field === target);

/**
 * Returns all mappings with that of `target` replaced, or removed for null. The API takes the list
 * as one member.
 */
export function mappingsWith(
  fields: Fields,
  target: string,
  mapping: SecretMapping | null,
): readonly SecretMapping[] | null {
  const others = allOf(fields).filter(({ target_field }) => target_field !== target);
  const next = mapping === null ? others : [...others, mapping];
  return next.length === 0 ? null : next;
}
