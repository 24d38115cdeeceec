import { useQuery, useQueryClient } from '@tanstack/react-query';
import { useEffect, useMemo, useRef, useState } from 'react';
import {
  call,
  problemFrom,
  type ResponseOf,
  type BodyOf,
  type OperationId,
  type Params,
  type Problem,
} from '../api';
import { draftOf, type Draft } from './drafts';
import { changesOf, inverseOf, merge, rebased, type Edit, type MergedLeaf } from './merge';
import { nameOf, setAt, type Fields } from './paths';
import { save, type Outcome, type Resource, type Version } from './save';
import { useEdit } from './use-edit';

export interface ResourceFormOptions<G extends OperationId, P extends OperationId> {
  /** Operation that reads the resource with its etag. */
  readonly get: G;
  readonly getParams: Params<G>;
  /** Operation that writes the resource. */
  readonly put: P;
  readonly putParams: Params<P>;
  /** Extracts the members that the form may write from the response of the read. */
  readonly valuesOf: (answer: ResponseOf<G>) => Partial<BodyOf<P>> & object;
  /** Reads to invalidate after a save, such as the list. `get` is always invalidated. */
  readonly invalidates?: readonly OperationId[];
  /**
   * Top-level members in which the read masks secrets. Other members are sent unchanged, even when
   * they look like a mask.
   */
  readonly secrets?: readonly (keyof BodyOf<P> & string)[];
  /** Name of the draft in this tab; absent for no draft. A form with secrets must not have one. */
  readonly draft?: string;
}

type Conflict = Extract<Outcome, { kind: 'conflict' }>;
type Ending = Outcome['kind'] | 'failed';

export interface FormConflict {
  readonly leaves: readonly MergedLeaf[];
  /**
   * Saves with the chosen side of each conflicting leaf, by `nameOf` of its path; the default is
   * `mine`.
   */
  readonly resolve: (choices: ReadonlyMap<string, 'mine' | 'theirs'>) => Promise<Ending>;
  readonly dismiss: () => void;
  readonly isSaving: boolean;
  /** Error of the last save of choices; null for none. */
  readonly problem: Problem | null;
}

function resourceOf<G extends OperationId, P extends OperationId>({
  get,
  getParams,
  put,
  putParams,
  valuesOf,
  secrets = [],
}: ResourceFormOptions<G, P>): Resource {
  return {
    secrets,
    read: async () => {
      const { data, etag } = await call(get, getParams);
      const fields: object = valuesOf(data);
      return { fields: fields as Fields, etag };
    },
    write: async (body, etag) => {
      const headers: Record<string, string> = etag === null ? {} : { 'if-match': etag };
      await call(put, putParams, { body: body as BodyOf<P>, headers });
    },
  };
}

/**
 * Applies a draft to the version that the API has now. Where others changed the same members
 * meanwhile, the opened version keeps the draft's base and etag, so that a save asks the user.
 */
function restored(now: Version, { values, touched, base = now.fields, etag = now.etag }: Draft) {
  const draft: Edit = { base, values, touched };
  const conflicts = merge(draft, now.fields).filter(({ side }) => side === 'conflict');
  const fields = conflicts.reduce<unknown>((next, { path, before }) => setAt(next, path, before), now.fields);
  const opened = conflicts.length === 0 ? now : { fields: fields as Fields, etag };
  return [opened, rebased(draft, now.fields)] as const;
}

/** Returns the edit that results from the user's choices in a conflict. */
function chosen({ edit, newest, leaves }: Conflict, choices: ReadonlyMap<string, 'mine' | 'theirs'>): Edit {
  const yielding = leaves
    .filter(({ path, side }) => side === 'conflict' && choices.get(nameOf(path)) === 'theirs')
    .map(({ path }) => path);
  return rebased(edit, newest.fields, yielding);
}

/**
 * Saves an edit and handles the outcome: shows the new version, keeps a conflict for the dialog, or
 * shows errors at their fields.
 */
function useSaving(resource: Resource, edits: ReturnType<typeof useEdit>, ids: readonly OperationId[]) {
  const queries = useQueryClient();
  const [isSaving, setSaving] = useState(false);
  const [isSaved, setSaved] = useState(false);
  const [problem, setProblem] = useState<Problem | null>(null);
  const [conflict, setConflict] = useState<Conflict | null>(null);
  const [undoable, setUndoable] = useState<{ readonly edit: Edit; readonly etag: string | null } | null>(
    null,
  );

  const finish = async (outcome: Outcome, sent: Edit): Promise<Ending> => {
    setConflict(outcome.kind === 'conflict' ? outcome : null);
    if (outcome.kind === 'unchanged' && outcome.version !== undefined) edits.loadClean(outcome.version);
    if (outcome.kind !== 'saved') return outcome.kind;
    const inverse = inverseOf(outcome.edit, outcome.version.fields, resource.secrets);
    setUndoable(inverse === null ? null : { edit: inverse, etag: outcome.version.etag });
    edits.loadSaved(outcome.version, sent);
    setSaved(true);
    await Promise.all(ids.map((id) => queries.invalidateQueries({ queryKey: [id] })));
    return outcome.kind;
  };
  const run = async (edit: Edit, etag: string | null): Promise<Ending> => {
    setSaving(true);
    setSaved(false);
    setProblem(null);
    try {
      const sent = edits.currentEdit();
      return await finish(await save(edit, etag, resource), sent);
    } catch (error) {
      const failed = problemFrom(error);
      setProblem(failed);
      edits.showErrors(failed.byPath);
      return 'failed';
    } finally {
      setSaving(false);
    }
  };
  const resolve: FormConflict['resolve'] = async (choices) => {
    if (conflict === null) return 'unchanged';
    const edit = chosen(conflict, choices);
    if (changesOf(edit).length > 0) return run(edit, conflict.newest.etag);
    edits.loadClean(conflict.newest);
    setConflict(null);
    return 'unchanged';
  };
  const shown: FormConflict | null = conflict && {
    leaves: conflict.leaves,
    resolve,
    dismiss: () => setConflict(null),
    isSaving,
    problem,
  };
  return { isSaving, isSaved, problem, setProblem, conflict: shown, undoable, run };
}

/**
 * Form that edits a resource. Sends only the members that the user changed, with the etag of the
 * version that the form opened, and merges what others have saved meanwhile. All edits of resources
 * must use this hook.
 */
export function useResourceForm<G extends OperationId, P extends OperationId>(
  options: ResourceFormOptions<G, P>,
) {
  const { get, getParams, invalidates = [], draft } = options;
  const edits = useEdit(draft);
  const { openedVersion, load, loadClean, currentEdit, inputs } = edits;
  const resource = resourceOf(options);
  const { isSaving, isSaved, problem, setProblem, conflict, undoable, run } = useSaving(resource, edits, [
    get,
    ...invalidates,
  ]);
  const [isReady, setReady] = useState(false);
  const [isRestored, setRestored] = useState(false);
  /** The opened version of a draft whose members others changed meanwhile. */
  const outdated = useRef<Version | null>(null);
  const loaded = useQuery<Version, Problem>({
    queryKey: [get, getParams, 'version'],
    queryFn: () => resource.read(),
    staleTime: Infinity,
    gcTime: 0,
    refetchOnWindowFocus: false,
  });
  const version = loaded.data;
  useEffect(() => {
    if (version === undefined || isReady) return;
    const kept = draft === undefined ? null : draftOf(draft);
    const [opened, edit] = restored(version, kept ?? { values: version.fields, touched: [] });
    if (opened !== version) outdated.current = opened;
    load(opened, edit);
    setRestored(edit.touched.length > 0);
    setReady(true);
  }, [version, isReady, draft, load]);
  const changed = useMemo(
    () => (isReady ? changesOf(currentEdit()).map(nameOf) : []),
    [isReady, currentEdit],
  );
  return {
    ...inputs,
    isReady,
    /** Error of reading the resource; null for none. */
    loadProblem: loaded.error,
    reload: () => void loaded.refetch(),
    /** True when the form shows a draft of this tab. */
    isRestored,
    isSaving,
    /** Whether the last attempt was saved, directly or through the conflict dialog. */
    isSaved,
    /** Error of the last save; its details are shown at their fields. Null for none. */
    problem,
    /** Names of the changed members, such as `usage_limits.credit_limit`. */
    changed,
    save: () => run(currentEdit(), openedVersion.current.etag),
    /** Discards the user's changes. */
    reset: (): void => {
      const isOutdated = openedVersion.current === outdated.current;
      loadClean(isOutdated && version !== undefined ? version : openedVersion.current);
      setProblem(null);
    },
    /** Undoes the last save; null when there is none or it replaced a secret. */
    undo: undoable === null ? null : () => run(undoable.edit, undoable.etag),
    conflict,
  };
}

export type ResourceForm = ReturnType<typeof useResourceForm<OperationId, OperationId>>;
