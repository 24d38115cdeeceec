import { useForm } from '@mantine/form';
import { useQuery, useQueryClient } from '@tanstack/react-query';
import { useCallback, useEffect, useMemo, useRef, useState } from 'react';
import {
  call,
  Problem,
  problemFrom,
  type AnswerOf,
  type BodyOf,
  type OperationId,
  type Params,
} from '../api';
import { draftOf, keepDraft } from './drafts';
import { changesOf, inverseOf, rebased, type Edit, type MergedLeaf } from './merge';
import { getAt, nameOf, pathOf, setAt, type Fields, type Path } from './paths';
import { save, type Outcome, type Resource, type Version } from './save';

export interface ResourceFormOptions<G extends OperationId, P extends OperationId> {
  /** Reads the resource, with its etag. */
  readonly get: G;
  readonly getParams: Params<G>;
  /** Writes it. */
  readonly put: P;
  readonly putParams: Params<P>;
  /** The members that the form may write, as the read answered them. */
  readonly valuesOf: (answer: AnswerOf<G>) => Partial<BodyOf<P>> & object;
  /** Reads to take anew after a save, such as the list. The read itself is always taken. */
  readonly invalidates?: readonly OperationId[];
  /** Name of the draft in this tab; none is kept when absent. Give none to a form with secrets. */
  readonly draft?: string;
}

export interface FormConflict {
  readonly leaves: readonly MergedLeaf[];
  /** Saves with the side that was chosen for each leaf that both changed, by `nameOf` its path. */
  readonly resolve: (choices: ReadonlyMap<string, 'mine' | 'theirs'>) => Promise<Outcome['kind']>;
  readonly dismiss: () => void;
}

interface Opened {
  readonly base: Fields;
  readonly etag: string | null;
}

const nothing: Opened = { base: {}, etag: null };

/**
 * Edits a resource: sends the members that the user touched, and nothing else, under the version that the form opened; merges what
 * others saved meanwhile. The only way to change a resource.
 */
export function useResourceForm<G extends OperationId, P extends OperationId>(
  options: ResourceFormOptions<G, P>,
) {
  const { get, getParams, put, putParams, valuesOf, invalidates = [], draft } = options;
  const queries = useQueryClient();
  const form = useForm<Record<string, unknown>>({ mode: 'uncontrolled', initialValues: {} });
  const opened = useRef<Opened>(nothing);
  const [touched, setTouched] = useState<readonly Path[]>([]);
  const [isReady, setReady] = useState(false);
  const [isRestored, setRestored] = useState(false);
  const [isSaving, setSaving] = useState(false);
  const [problem, setProblem] = useState<Problem | null>(null);
  const [conflict, setConflict] = useState<Extract<Outcome, { kind: 'conflict' }> | null>(null);
  const [undoable, setUndoable] = useState<{ readonly edit: Edit; readonly etag: string | null } | null>(
    null,
  );

  const resource: Resource = {
    read: async () => {
      const { data, etag } = await call(get, getParams);
      return { fields: valuesOf(data) as Fields, etag };
    },
    write: async (body, etag) => {
      const headers: Record<string, string> = etag === null ? {} : { 'if-match': etag };
      await call(put, putParams, { body: body as BodyOf<P>, headers });
    },
  };
  const loaded = useQuery<Version, Problem>({
    queryKey: [get, getParams, 'version'],
    queryFn: () => resource.read(),
    staleTime: Infinity,
    gcTime: 0,
    refetchOnWindowFocus: false,
  });

  const show = useCallback(
    (version: Version, edit: Pick<Edit, 'values' | 'touched'>) => {
      opened.current = { base: version.fields, etag: version.etag };
      form.setInitialValues({ ...version.fields });
      form.setValues({ ...edit.values });
      setTouched(edit.touched);
    },
    [form],
  );
  const version = loaded.data;
  const isLoaded = version !== undefined;
  useEffect(() => {
    if (!isLoaded || isReady) return;
    const kept = draft === undefined ? null : draftOf(draft);
    const whole: Edit = { base: version.fields, values: version.fields, touched: [] };
    const edit = kept === null ? whole : rebased({ ...whole, ...kept }, version.fields);
    show(version, edit);
    setRestored(edit.touched.length > 0);
    setReady(true);
  }, [isLoaded, isReady, version, draft, show]);

  const editNow = useCallback(
    (paths: readonly Path[] = touched): Edit => ({
      base: opened.current.base,
      values: form.getValues(),
      touched: paths,
    }),
    [form, touched],
  );
  const touch = (path: Path): void => {
    const next = [...touched.filter((other) => nameOf(other) !== nameOf(path)), path];
    setTouched(next);
    if (draft !== undefined) keepDraft(draft, editNow(next));
  };

  const finish = async (outcome: Outcome): Promise<Outcome['kind']> => {
    if (outcome.kind === 'conflict') setConflict(outcome);
    if (outcome.kind !== 'saved') return outcome.kind;
    setConflict(null);
    const inverse = inverseOf(outcome.edit, outcome.version.fields);
    setUndoable(inverse === null ? null : { edit: inverse, etag: outcome.version.etag });
    show(outcome.version, { values: outcome.version.fields, touched: [] });
    if (draft !== undefined) keepDraft(draft, { values: {}, touched: [] });
    await Promise.all([get, ...invalidates].map((id) => queries.invalidateQueries({ queryKey: [id] })));
    return outcome.kind;
  };
  const run = async (edit: Edit, etag: string | null): Promise<Outcome['kind'] | 'failed'> => {
    setSaving(true);
    setProblem(null);
    try {
      return await finish(await save(edit, etag, resource));
    } catch (error) {
      const failed = problemFrom(error);
      setProblem(failed);
      form.setErrors(Object.fromEntries(failed.byPath));
      return 'failed';
    } finally {
      setSaving(false);
    }
  };

  const changed = useMemo(() => (isReady ? changesOf(editNow()).map(nameOf) : []), [isReady, editNow]);
  return {
    isReady,
    /** Why the resource cannot be read. */
    loadProblem: loaded.error,
    reload: () => void loaded.refetch(),
    /** True: the form shows a draft of this tab. */
    isRestored,
    isSaving,
    /** Why the last save failed; its details are at their fields. */
    problem,
    /** Names of what would be sent, such as `usage_limits.credit_limit`. */
    changed,
    /** Props of an input of Mantine. What the user enters there is touched. */
    field: (name: string, type: 'input' | 'checkbox' = 'input') => {
      const props = form.getInputProps(name, { type }) as { onChange: (value: unknown) => void };
      const onChange = (value: unknown): void => {
        props.onChange(value);
        touch(pathOf(name));
      };
      return { key: form.key(name), ...props, onChange };
    },
    /** The value that the form shows. */
    valueOf: (name: string | Path): unknown => getAt(form.getValues(), pathOf(name)),
    /** Changes a value on behalf of the user, for inputs with other units or shapes; undefined clears. */
    setValue: (name: string | Path, value: unknown): void => {
      form.setValues(setAt(form.getValues(), pathOf(name), value) as Record<string, unknown>);
      touch(pathOf(name));
    },
    save: () => run(editNow(), opened.current.etag),
    /** Gives up what was entered. */
    reset: (): void => {
      const { base, etag } = opened.current;
      show({ fields: base, etag }, { values: base, touched: [] });
      setProblem(null);
      if (draft !== undefined) keepDraft(draft, { values: {}, touched: [] });
    },
    /** Takes the last save back by its members; null when there is none, or when it replaced a secret. */
    undo: undoable === null ? null : () => run(undoable.edit, undoable.etag),
    conflict:
      conflict === null
        ? null
        : ({
            leaves: conflict.leaves,
            resolve: async (choices) => {
              const yielding = conflict.leaves
                .filter(({ path, side }) => side === 'both' && choices.get(nameOf(path)) === 'theirs')
                .map(({ path }) => path);
              const { newest } = conflict;
              const edit = rebased(conflict.edit, newest.fields, yielding);
              if (changesOf(edit).length > 0) return (await run(edit, newest.etag)) as Outcome['kind'];
              show(newest, { values: newest.fields, touched: [] });
              setConflict(null);
              return 'unchanged';
            },
            dismiss: () => setConflict(null),
          } satisfies FormConflict),
  };
}

export type ResourceForm = ReturnType<typeof useResourceForm<OperationId, OperationId>>;
