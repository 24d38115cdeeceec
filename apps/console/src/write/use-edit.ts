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
  const opened = useRef<Version>({ fields: {}, etag: null });
  const [touched, setTouched] = useState<readonly Path[]>([]);
  /** The newest `touched`: one event may touch several paths. */
  const latest = useRef<readonly Path[]>([]);

  const show = useCallback(
    (version: Version, edit: Pick<Edit, 'values' | 'touched'>) => {
      opened.current = version;
      form.setInitialValues({ ...version.fields });
      form.setValues({ ...edit.values });
      latest.current = edit.touched;
      setTouched(edit.touched);
    },
    [form],
  );
  const now = useCallback(
    (paths: readonly Path[] = touched): Edit => ({
      base: opened.current.fields,
      values: form.getValues(),
      touched: paths,
    }),
    [form, touched],
  );
  const touch = (path: Path): void => {
    const next = [...latest.current.filter((other) => nameOf(other) !== nameOf(path)), path];
    latest.current = next;
    setTouched(next);
    if (draft !== undefined) keepDraft(draft, now(next));
  };
  /** Shows a version as it is. */
  const showWhole = (version: Version): void => {
    show(version, { values: version.fields, touched: [] });
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
  return { opened, show, showWhole, now, inputs, showErrors };
}
