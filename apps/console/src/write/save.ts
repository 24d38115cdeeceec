import { Problem } from '../api';
import { bodyOf, changesOf, merge, rebased, type Edit, type MergedLeaf } from './merge';
import type { Fields } from './paths';

/** A resource as the API has it. `etag` is null where the API gives none. */
export interface Version {
  readonly fields: Fields;
  readonly etag: string | null;
}

/** Calls of the resource. `write` rejects with a `Problem` of status 412 when `etag` is of an earlier version. */
export interface Resource {
  /** Top-level members in which the API shows secrets masked. */
  readonly secrets?: readonly string[];
  read(): Promise<Version>;
  write(body: Fields, etag: string | null): Promise<void>;
}

export type Outcome =
  | { readonly kind: 'unchanged' }
  /** `edit`: what was saved, over the version before it. */
  | { readonly kind: 'saved'; readonly version: Version; readonly edit: Edit }
  /** A person must choose for the leaves of side `conflict`. Nothing was written. */
  | {
      readonly kind: 'conflict';
      readonly newest: Version;
      readonly edit: Edit;
      readonly leaves: readonly MergedLeaf[];
    };

/** Rounds of a save that others overtake each time. */
const ROUNDS_MAX = 4;

const isOvertaken = (error: unknown): boolean => error instanceof Problem && error.status === 412;

/**
 * Writes the changes of an edit under its version's tag. When others have saved meanwhile, it merges and writes again, unless both
 * changed the same leaf. Rejects with the `Problem` of a refused write or a failed read.
 */
export async function save(edit: Edit, etag: string | null, resource: Resource): Promise<Outcome> {
  let current = edit;
  let tag = etag;
  for (let round = 1; ; round += 1) {
    if (changesOf(current).length === 0) return { kind: 'unchanged' };
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
