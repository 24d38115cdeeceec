import type { Json } from '../api-client';
import { plain } from '../members';
import type { ReconcileContext } from '../kind';

export const SECRET_MAPPINGS = {
  members: {
    ...plain('target_field', 'secret_reference_id', 'secret_key'),
    value_format: { fallback: 'string' },
  },
} as const;

/** Files refer to the secret reference of a mapping by its slug. */
export async function referenceSlugs({ api }: ReconcileContext): Promise<ReadonlyMap<string, string>> {
  const rows = await api.all('/v1/secret-references');
  return new Map(rows.map((row) => [String(row['id']), String(row['slug'])]));
}

export const mappingsOf = (row: Json, slugs: ReadonlyMap<string, string>): Json[] =>
  (row['secret_mappings'] as Json[]).map((mapping) => ({
    ...mapping,
    secret_reference_id: slugs.get(String(mapping['secret_reference_id'])) ?? mapping['secret_reference_id'],
  }));
