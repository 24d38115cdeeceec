import { Problem } from '../api';
import { bodyOf, changesOf, merge, rebased, type Edit, type MergedLeaf } from './merge';
import type { Fields } from './paths';

/** A version of a resource. `etag` is null when the API returns none. */
export interface Version {
  readonly fields: Fields;
  readonly etag: string | null;
}

/**
 * Calls to read and write a resource. `write` rejects with a `Problem` of status 412 when `etag` is
 * outdated.
 */
export interface Resource {
  /** Top-level members in which the API masks secrets. */
  readonly secrets?: readonly string[];
  read(): Promise<Version>;
  write(body: Fields, etag: string | null): Promise<void>;
}

export type Outcome =
  /** `version`: the newest one, when others have saved the same changes. */
  | { readonly kind: 'unchanged'; readonly version?: Version }
  /** `edit` is what was saved, based on the version before it. */
  | { readonly kind: 'saved'; readonly version: Version; readonly edit: Edit }
  /** The user must choose for the leaves with the side `conflict`. Nothing was written. */
  | {
      readonly kind: 'conflict';
      readonly newest: Version;
      readonly edit: Edit;
      readonly leaves: readonly MergedLeaf[];
    };

/** Maximum attempts of a save when others save first each time. */
const ROUNDS_MAX = 4;

const isOvertaken = (error: unknown): boolean => error instanceof Problem && error.status === 412;

/**
 * Saves an edit with the etag of its version. When others have saved meanwhile, merges and saves
 * again, unless both sides changed the same leaf. Rejects with the `Problem` of a refused write or
 * a failed read.
 */
export async function save(edit: Edit, etag: string | null, resource: Resource): Promise<Outcome> {
  let current = edit;
  let tag = etag;
  for (let round = 1; ; round += 1) {
    if (changesOf(current).length === 0)
      return round === 1
        ? { kind: 'unchanged' }
        : { kind: 'unchanged', version: { fields: current.base, etag: tag } };
    try {
      await resource.write(bodyOf(current, current.base, resource.secrets), tag);
      return { kind: 'saved', version: await resource.read(), edit: current };
    } catch (error) {
      if (!isOvertaken(error) || round === ROUNDS_MAX) throw error;
    }
    const newest = await resource.read();
    const leaves = merge(current, newest.fields);
    if (leaves.some(({ side }) => side === 'conflict'))
      return { kind: 'conflict', newest, edit: current, leaves };
    current = rebased(current, newest.fields);
    tag = newest.etag;
  }
}
