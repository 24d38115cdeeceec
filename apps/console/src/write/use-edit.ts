import { useForm } from '@mantine/form';
import { useCallback, useRef, useState } from 'react';
import { keepDraft } from './drafts';
import { rebased, type Edit } from './merge';
import { getAt, nameOf, pathOf, setAt, type Path } from './paths';
import type { Version } from './save';

/**
 * State of a form over one version of a resource: its values and the paths that the user changed.
 * Values from other sources do not count as changed.
 */
export function useEdit(draft: string | undefined) {
  const form = useForm<Record<string, unknown>>({ mode: 'uncontrolled', initialValues: {} });
  // These functions are stable, unlike `form`, which is a new object at each render.
  const { getValues, setValues, setInitialValues } = form;
  const openedVersion = useRef<Version>({ fields: {}, etag: null });
  const [touched, setTouched] = useState<readonly Path[]>([]);
  /**
   * Paths changed so far, including those of the current event, which the state does not have yet.
   */
  const latest = useRef<readonly Path[]>([]);

  /**
   * Shows an edit of a version. Mantine merges top-level members, so a member that the version
   * lacks would stay in the form; responses of the API always contain all members.
   */
  const load = useCallback(
    (version: Version, edit: Pick<Edit, 'values' | 'touched'>) => {
      openedVersion.current = version;
      setInitialValues({ ...version.fields });
      setValues({ ...edit.values });
      latest.current = edit.touched;
      setTouched(edit.touched);
    },
    [setInitialValues, setValues],
  );
  /** Returns the content of the form as an edit of the version that it shows. */
  const currentEdit = useCallback(
    (paths: readonly Path[] = touched): Edit => ({
      base: openedVersion.current.fields,
      values: getValues(),
      touched: paths,
    }),
    [getValues, touched],
  );
  const touch = (path: Path): void => {
    const next = [...latest.current.filter((other) => nameOf(other) !== nameOf(path)), path];
    latest.current = next;
    setTouched(next);
    if (draft !== undefined) keepDraft(draft, { ...currentEdit(next), etag: openedVersion.current.etag });
  };
  /** Shows a version without changes and deletes the draft. */
  const loadClean = (version: Version): void => {
    load(version, { values: version.fields, touched: [] });
    if (draft !== undefined) keepDraft(draft, { values: {}, touched: [] });
  };
  /** Shows a saved version, with what the user has entered since the form had the content `sent`. */
  const loadSaved = (version: Version, sent: Edit): void => {
    const entered = { base: sent.values, values: getValues(), touched: latest.current };
    const edit = rebased(entered, version.fields);
    load(version, edit);
    if (draft !== undefined) keepDraft(draft, { ...edit, etag: version.etag });
  };
  const inputs = {
    /** Props of a Mantine input. What the user enters counts as changed. */
    field: (name: string, type: 'input' | 'checkbox' = 'input') => {
      const props = form.getInputProps(name, { type }) as { onChange: (value: unknown) => void };
      const onChange = (value: unknown): void => {
        props.onChange(value);
        touch(pathOf(name));
      };
      return { ...props, onChange };
    },
    /**
     * React key of an input; a change of it makes the input show a value that was set elsewhere.
     */
    keyOf: (name: string) => form.key(name),
    /** Returns the current value of a member. */
    valueOf: (name: string | Path): unknown => getAt(form.getValues(), pathOf(name)),
    /**
     * Sets a value that the user entered, for inputs with other units or shapes; undefined clears
     * it.
     */
    setValue: (name: string | Path, value: unknown): void => {
      form.setValues(setAt(form.getValues(), pathOf(name), value) as Record<string, unknown>);
      touch(pathOf(name));
    },
  };
  const showErrors = (errors: ReadonlyMap<string, string>): void =>
    form.setErrors(Object.fromEntries(errors));
  return { openedVersion, load, loadClean, loadSaved, currentEdit, inputs, showErrors };
}
