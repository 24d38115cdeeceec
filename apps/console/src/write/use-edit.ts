import { useForm } from '@mantine/form';
import { useCallback, useRef, useState } from 'react';
import { keepDraft } from './drafts';
import type { Edit } from './merge';
import { getAt, nameOf, pathOf, setAt, type Path } from './paths';
import type { Version } from './save';

/**
 * State of a form over one version of a resource: its values, and the paths that the user's input touched. Values that come from
 * elsewhere touch nothing.
 */
export function useEdit(draft: string | undefined) {
  const form = useForm<Record<string, unknown>>({ mode: 'uncontrolled', initialValues: {} });
  // Stable, unlike `form`, which is another object at each render.
  const { getValues, setValues, setInitialValues } = form;
  const openedVersion = useRef<Version>({ fields: {}, etag: null });
  const [touched, setTouched] = useState<readonly Path[]>([]);
  /** The paths touched so far, including those of the current event, which the state does not have yet. */
  const latest = useRef<readonly Path[]>([]);

  /**
   * Shows an edit over a version. Mantine merges the top-level members, so one that the version does not have would stay in the form;
   * reads of the API always have all of them.
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
  /** Returns what the form holds, as an edit of the version that it shows. */
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
    if (draft !== undefined) keepDraft(draft, currentEdit(next));
  };
  /** Shows a version without an edit, and empties the draft. */
  const loadClean = (version: Version): void => {
    load(version, { values: version.fields, touched: [] });
    if (draft !== undefined) keepDraft(draft, { values: {}, touched: [] });
  };
  const inputs = {
    /** Props of an input of Mantine. What the user enters there is touched. */
    field: (name: string, type: 'input' | 'checkbox' = 'input') => {
      const props = form.getInputProps(name, { type }) as { onChange: (value: unknown) => void };
      const onChange = (value: unknown): void => {
        props.onChange(value);
        touch(pathOf(name));
      };
      return { ...props, onChange };
    },
    /** `key` of that input: it shows a value again that was set from elsewhere. */
    keyOf: (name: string) => form.key(name),
    /** The value that the form shows. */
    valueOf: (name: string | Path): unknown => getAt(form.getValues(), pathOf(name)),
    /** Changes a value on behalf of the user, for inputs with other units or shapes; undefined clears. */
    setValue: (name: string | Path, value: unknown): void => {
      form.setValues(setAt(form.getValues(), pathOf(name), value) as Record<string, unknown>);
      touch(pathOf(name));
    },
  };
  const showErrors = (errors: ReadonlyMap<string, string>): void =>
    form.setErrors(Object.fromEntries(errors));
  return { openedVersion, load, loadClean, currentEdit, inputs, showErrors };
}
